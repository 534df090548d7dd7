/**
 * What tests of a controller share. {@link io.controllermanager.testing.controllers.RunningManager} runs the controller,
 * {@link io.controllermanager.testing.controllers.Cluster} installs what it needs and shows what it did, and {@link
 * io.controllermanager.testing.controllers.ControllerArchitecture} holds how its code is laid out.
 */
@NullMarked
package io.controllermanager.testing.controllers;

import org.jspecify.annotations.NullMarked;

/**
 * What tests of a controller share beside the test kit. {@link io.controllermanager.testing.controllers.Cluster} installs
 * what the controller needs and shows what it did, and {@link
 * io.controllermanager.testing.controllers.ControllerArchitecture} holds how its code is laid out.
 */
@NullMarked
package io.controllermanager.testing.controllers;

import org.jspecify.annotations.NullMarked;

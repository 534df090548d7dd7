/**
 * A controller: what it is for, what else it watches, how it reconciles one key, and with which
 * options. Described in controller-runtime{@code 's} words by a
 * {@link io.controllermanager.controller.ControllerDescriptor}.
 */
@NullMarked
package io.controllermanager.controller;

import org.jspecify.annotations.NullMarked;

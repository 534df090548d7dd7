/**
 * A controller: what it is for, what else it watches, how it reconciles one key, and the workers
 * that take keys from its queue. Described in controller-runtime{@code 's} words by a
 * {@link io.controllermanager.controller.ControllerDescriptor}.
 */
@NullMarked
package io.controllermanager.controller;

import org.jspecify.annotations.NullMarked;

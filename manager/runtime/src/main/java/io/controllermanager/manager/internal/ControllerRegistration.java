package io.controllermanager.manager.internal;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;

/**
 * A controller that the host knows of.
 *
 * @param descriptor what it is
 * @param options how it runs, properties included
 * @param enabled whether it runs at all; one that does not is listed, but gets neither informers nor workers
 * @param adapter {@link ControllerAdapter#NONE} unless it was written for another library
 */
public record ControllerRegistration(
        ControllerDescriptor descriptor, ControllerOptions options, boolean enabled, ControllerAdapter adapter) {

    /** One that was written for this host. */
    public ControllerRegistration(ControllerDescriptor descriptor, ControllerOptions options, boolean enabled) {
        this(descriptor, options, enabled, ControllerAdapter.NONE);
    }

    /** Enabled, with the options that the descriptor gives. */
    public static ControllerRegistration of(ControllerDescriptor descriptor) {
        return new ControllerRegistration(descriptor, descriptor.options(), true);
    }

    /** The controller's name. */
    public String name() {
        return descriptor.name();
    }
}

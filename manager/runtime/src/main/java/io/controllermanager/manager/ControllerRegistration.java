package io.controllermanager.manager;

import io.controllermanager.controller.ClientJavaController;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import org.jspecify.annotations.Nullable;

/**
 * A controller that the host knows of.
 *
 * @param descriptor what it is
 * @param options how it runs, properties included
 * @param enabled whether it runs at all; one that does not is listed, but gets neither informers nor workers
 * @param clientJava the controller built for client-java that stands behind it, null for one of ours
 */
public record ControllerRegistration(
        ControllerDescriptor descriptor,
        ControllerOptions options,
        boolean enabled,
        @Nullable ClientJavaController clientJava) {

    /** One of ours. */
    public ControllerRegistration(ControllerDescriptor descriptor, ControllerOptions options, boolean enabled) {
        this(descriptor, options, enabled, null);
    }

    /** Enabled, with the options that the descriptor gives. */
    public static ControllerRegistration of(ControllerDescriptor descriptor) {
        return new ControllerRegistration(descriptor, descriptor.options(), true);
    }

    /** One that was built for client-java; its options start from the workers that it was given. */
    public static ControllerRegistration of(ClientJavaController clientJava) {
        ControllerDescriptor descriptor = clientJava.descriptor();
        return new ControllerRegistration(descriptor, descriptor.options(), true, clientJava);
    }

    /** The controller's name. */
    public String name() {
        return descriptor.name();
    }
}

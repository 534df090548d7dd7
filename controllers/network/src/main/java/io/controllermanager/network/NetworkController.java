package io.controllermanager.network;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.TypedController;

/** Describes the Network controller to its host. */
public final class NetworkController {

    /** The controller's name, as in {@code --controllers=-network}. */
    public static final String NAME = "network";

    private NetworkController() {}

    /**
     * The controller's description. Each call describes another one, with its own memory of ranges: a description serves
     * one host.
     */
    public static ControllerDescriptor descriptor() {
        return TypedController.descriptor(new NetworkReconciler());
    }
}

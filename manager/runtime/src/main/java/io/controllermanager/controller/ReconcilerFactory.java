package io.controllermanager.controller;

import io.kubernetes.client.extended.controller.reconciler.Reconciler;

/** Makes a controller's reconciler. Called once per start of an enabled controller; never for one that is off. */
@FunctionalInterface
public interface ReconcilerFactory {

    /** Makes the reconciler. */
    Reconciler create(ControllerContext context);
}

package io.controllermanager.reconciler;

import io.controllermanager.controller.ControllerContext;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;

/**
 * Brings the world into the state that an object asks for. A bean of it with {@link Reconciles} is a controller; without
 * Spring {@link TypedController} makes one of it. One that has something to clean up outside Kubernetes implements {@link
 * Cleaner} as well.
 *
 * @param <T> the object's class
 */
public interface ObjectReconciler<T extends KubernetesObject> {

    /** Says what the controller watches and how it runs. Called once, when the controller is described. */
    default void describe(ControllerDescription<T> description) {}

    /**
     * Called each time the controller starts, before its first event, for whoever needs informers, a client or the clock
     * outside a reconcile.
     */
    default void start(ControllerContext context) {}

    /**
     * Compares what is with what the object asks for, and writes the difference. Called for one object on one worker at a
     * time, for several objects at once; never for one that is gone or is being deleted.
     *
     * @param object its newest known state; shared, not to be changed
     * @param reconciliation applies children, reads what is watched, and reports the status
     * @return when to come again
     * @throws ApiException if the API server refuses something. The object is tried again, unless what is thrown is, or has
     *     as a cause, a {@link io.controllermanager.controller.TerminalException}
     */
    Outcome reconcile(T object, Reconciliation<T> reconciliation) throws ApiException;
}

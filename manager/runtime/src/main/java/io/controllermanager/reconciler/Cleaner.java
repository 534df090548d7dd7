package io.controllermanager.reconciler;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;

/**
 * Cleans up what a reconciler has made outside Kubernetes. Objects get a finalizer before their first reconcile, and lose it
 * after the clean-up has succeeded; see {@link io.controllermanager.controller.Finalizer}.
 *
 * @param <T> the object's class
 */
public interface Cleaner<T extends KubernetesObject> {

    /**
     * Cleans up. It may be called more than once for an object, and what is gone already is no error.
     *
     * @param object the object that is being deleted; shared, not to be changed
     * @return {@link Outcome#done} once nothing is left: the finalizer goes, and no status is written. With {@link
     *     Outcome#retry}, {@link Outcome#progressing}, {@link Outcome#blocked} or {@link Outcome#again} it stays, what they say is
     *     reported, and it is called again then. {@link Outcome#ready} is as done
     * @throws ApiException if the clean-up fails; the finalizer stays, and the object is tried again
     */
    Outcome cleanup(T object, Reconciliation<T> reconciliation) throws ApiException;
}

package io.controllermanager.reconciler;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;

/** Told of the changes to an object's children. */
interface ChildChanges {

    /**
     * A child that is there is about to be changed or deleted.
     *
     * @throws WaitsForSlotException if it may not be now
     */
    default void begin(KubernetesObject child) throws ApiException {}

    /** A child has been made, changed or deleted. */
    void done();
}

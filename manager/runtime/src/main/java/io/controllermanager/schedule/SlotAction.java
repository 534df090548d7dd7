package io.controllermanager.schedule;

import io.kubernetes.client.openapi.ApiException;

/** What is done in a slot. */
@FunctionalInterface
public interface SlotAction {

    /**
     * Does it, on the thread that reconciles.
     *
     * @throws ApiException if it fails; the reconcile fails with it and is tried again
     */
    void run(Slot slot) throws ApiException;
}

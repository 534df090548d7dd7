package io.controllermanager.informer.internal.delivery;

import io.controllermanager.client.Registration;

/** A subscriber's hold on an informer. */
public interface Subscription extends AutoCloseable {

    /** Whether every object of the informer's initial list has been delivered to this subscriber. */
    boolean hasSynced();

    /**
     * Tells once when {@link #hasSynced} is true: at once if it is, else on the subscriber's thread.
     *
     * @param told must be brief and must not block
     * @return ends the waiting
     */
    Registration whenSynced(Runnable told);

    /** Ends delivery; returns without waiting for an event that is being delivered. */
    @Override
    void close();
}

package io.controllermanager.informer;

/** A subscriber's hold on an informer. */
public interface Subscription extends AutoCloseable {

    /** Whether every object of the informer's initial list has been delivered to this subscriber. */
    boolean hasSynced();

    /** Ends delivery; returns without waiting for an event that is being delivered. */
    @Override
    void close();
}

package io.controllermanager.leaderelection;

import io.controllermanager.client.Registration;
import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * The one Lease that replicas compete for, as the API server keeps it. Each call but {@link #watch} is one request, blocks
 * until it is answered or has run out of time, and is made by one thread at a time.
 */
public interface LeaseLock {

    /** {@code namespace/name} of the Lease. */
    String describe();

    /**
     * Does what the first request would otherwise have to wait for, such as connecting; changes nothing and may be called
     * while other requests are made.
     *
     * @throws LeaseException if that fails, which the next request is free to do better
     */
    default void prepare() throws LeaseException {}

    /** Reads the Lease; null if there is none. */
    @Nullable
    V1Lease get() throws LeaseException;

    /**
     * Makes the Lease.
     *
     * @return the Lease as stored
     * @throws LeaseException with {@link LeaseException.Reason#CONFLICT} if there is one already
     */
    V1Lease create(V1Lease lease) throws LeaseException;

    /**
     * Replaces the Lease if it still has the given one's resourceVersion.
     *
     * @return the Lease as stored
     * @throws LeaseException with {@link LeaseException.Reason#CONFLICT} if it has changed, with {@link
     *     LeaseException.Reason#NOT_FOUND} if there is none
     */
    V1Lease update(V1Lease lease) throws LeaseException;

    /**
     * Tells how the Lease is, now and at each change, until the registration is closed; returns at once. One that cannot
     * tell, as this one, leaves contenders to what they read now and then.
     */
    default Registration watch(LeaseObserver observer) {
        return () -> {};
    }
}

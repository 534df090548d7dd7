package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.Registration;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one Lease that replicas compete for, as the API server keeps it. Each call but {@link #watch} is one request, blocks
 * until it is answered or has run out of time. Any thread may make one.
 */
interface LeaseLock {

    /** Does what the first request would otherwise wait for, such as connecting. Changes nothing. Any thread may call it. */
    default void prepare() throws LeaseException {}

    /** Reads the Lease as it is, not as some cache has it; null if there is none. */
    @Nullable
    V1Lease get() throws LeaseException;

    /** All Leases of this one's namespace, as they are. */
    List<V1Lease> list() throws LeaseException;

    /** Makes the Lease, and returns it as stored. A conflict if there is one already. */
    V1Lease create(V1Lease lease) throws LeaseException;

    /** Replaces the Lease, and returns it as stored. A conflict if its resourceVersion is not that of the given one. */
    V1Lease update(V1Lease lease) throws LeaseException;

    /** Tells how the Lease is, now and at each change, one at a time, until the registration is closed. Returns at once. */
    Registration watch(Consumer<ElectionStep.Event> observer);
}

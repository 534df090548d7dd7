package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of requests for the Lease. Each answer, as {@link ElectionEvent} has it, decides on the next request; a task that
 * sends none has ended. The request thread does one task at a time.
 */
interface ElectionTask {

    /** The Lease to write, null for a read; what was known when it was decided; its place in the task, from 0. */
    record Request(ElectionTask task, @Nullable V1Lease lease, KnownLease known, int number) {}

    /** The request thread is at this task. */
    void turn(ElectionStep step);

    void read(ElectionStep step, Request request, @Nullable V1Lease lease);

    /** The step has taken note of how the Lease is. */
    void stored(ElectionStep step, ElectionEvent.Stored stored);

    default void refused(ElectionStep step, Request request) {}

    default void failed(ElectionStep step, ElectionEvent.Failed failed) {}
}

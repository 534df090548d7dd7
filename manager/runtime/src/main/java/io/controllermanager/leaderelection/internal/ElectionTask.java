package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of requests for the Lease. Each answer decides on the next request; a task that sends none has ended. The
 * request thread does one task at a time.
 */
interface ElectionTask {

    /** The request thread is at this task. */
    void turn(ElectionStep step);

    /** A read found the Lease, or none. */
    void read(ElectionStep step, ElectionRequest request, @Nullable V1Lease lease);

    /** The Lease was written, and the step has taken note of that. */
    void stored(ElectionStep step, ElectionEvent.Stored stored);

    /** A write was refused: the Lease has changed, is gone, or was made meanwhile. */
    default void refused(ElectionStep step, ElectionRequest request) {}

    /** A request failed, or its answer was lost. */
    default void failed(ElectionStep step, ElectionEvent.Failed failed) {}
}

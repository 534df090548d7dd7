package io.controllermanager.leaderelection;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of requests for the Lease. Each answer decides on the next request; a task that sends none has ended. The
 * request thread does one task at a time.
 */
interface ElectionTask {

    /** The request thread is at this task. */
    void turn(ElectionStep step);

    /** A read found the Lease. */
    void found(ElectionStep step, ElectionRequest request, V1Lease lease);

    /** A read found no Lease. */
    default void missing(ElectionStep step, ElectionRequest request) {}

    /**
     * The Lease was written.
     *
     * @param sentAt the monotonic time just before the request was sent
     */
    void stored(ElectionStep step, ElectionRequest request, V1Lease lease, long sentAt);

    /** A write was refused: the Lease has changed, is gone, or was made meanwhile. */
    default void refused(ElectionStep step, ElectionRequest request) {}

    /** A request failed, or its answer was lost. */
    default void failed(ElectionStep step, ElectionRequest request, String message, @Nullable Throwable unexpected) {}
}

package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.Keys;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import org.jspecify.annotations.Nullable;

/** One reconcile of one key, from its begin on a worker until its outcome has been dealt with. */
final class ReconcileRun {

    final Request request;

    /** That of the key when it was taken, 0 where the controller's keys are not divided. */
    final int shard;

    final String id;
    final long startedAt;

    /** What came of it: written and read by the worker's thread alone. */
    @Nullable
    Result result;

    @Nullable
    Throwable failure;

    long endedAt;

    /** Neither a failure nor its result has its key come again. */
    boolean over;

    /** Ends it when it takes too long, until the key is given back; used by the worker's thread alone. */
    Timer.@Nullable Cancellable timeLimit;

    /** Written by the worker's guard while it runs: interrupted because workers were stopped, or its shard was closed. */
    boolean stopped;

    /** Likewise: interrupted because its time limit was reached. */
    boolean timedOut;

    /** Likewise, also until its key is given back: reported because that has not come to its end in time. */
    boolean stuck;

    /**
     * Likewise, also while it is being settled: its object was deleted and created again meanwhile, and what comes of it
     * does not count for the new one.
     */
    boolean outdated;

    ReconcileRun(Request request, int shard, String id, long startedAt) {
        this.request = request;
        this.shard = shard;
        this.id = id;
        this.startedAt = startedAt;
    }

    /** {@code namespace/name}, or just the name. */
    String key() {
        return Keys.shown(request);
    }
}

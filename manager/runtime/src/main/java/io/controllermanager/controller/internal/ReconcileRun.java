package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.connection.RequestTrail;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.Taken;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One reconcile of one key, from its begin on a worker until its outcome has been dealt with. */
final class ReconcileRun {

    final Request request;
    final Shard shard;
    final Worker worker;
    final Thread thread = Thread.currentThread();
    final String id;
    final long startedAt;
    final Instant at;
    final Taken taken;

    /** What it writes, and what fails of its requests; used by the worker's thread alone, as what follows. */
    final RequestTrail trail;

    /** Of the trace that it belongs to; empty without one. */
    String traceId = "";

    /** After how long its key comes again, null if it does not by itself. */
    @Nullable
    Duration again;

    /** What came of it: written and read by the worker's thread alone. */
    @Nullable
    Result result;

    @Nullable
    Throwable failure;

    long endedAt;

    /** Neither a failure, nor its result, nor what it has said has its key come again. */
    boolean over;

    /** Ends it when it takes too long, until the key is given back; used by the worker's thread alone. */
    Timer.@Nullable Cancellable timeLimit;

    /** Written by the shard alone, as what follows: the reconciler has not returned. */
    volatile boolean reconciling = true;

    /** Interrupted because its shard was closed. */
    volatile boolean stopped;

    /** Interrupted because its time limit was reached. */
    volatile boolean timedOut;

    /** Reported because it has not come to its end in time. */
    volatile boolean stuck;

    /**
     * Its object was deleted and created again meanwhile, perhaps while it was being dealt with, and what comes of it does not
     * count for the new one.
     */
    volatile boolean outdated;

    ReconcileRun(
            Request request,
            Shard shard,
            Worker worker,
            String id,
            long startedAt,
            Instant at,
            Taken taken,
            RequestTrail trail) {
        this.request = request;
        this.shard = shard;
        this.worker = worker;
        this.id = id;
        this.startedAt = startedAt;
        this.at = at;
        this.taken = taken;
        this.trail = trail;
    }

    /** At which priority its key comes again by itself; null for the one that it was taken with. */
    @Nullable
    Integer priority() {
        return result instanceof PriorityResult own ? own.priority() : null;
    }

    /** Whether it runs, and is neither stuck nor told to end. */
    boolean isUndisturbed() {
        return reconciling && !stuck && !stopped;
    }

    /** {@code namespace/name}, or just the name. */
    String key() {
        return Keys.shown(request);
    }
}

package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.connection.RequestTrail;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.Taken;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Calls the reconciler for a key and decides what becomes of the key; see {@link Controller}. It interrupts a reconcile at its
 * time limit, and reports one that goes on in spite of being interrupted. What a worker does with the key afterwards counts as
 * well, until it gives the key back: it takes microseconds, unless something that it needs hangs. It is not interrupted.
 */
final class RequestHandler {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    final ControllerParts parts;
    private final String controller;
    final WorkQueue<Request> queue;
    final PausedKeys paused;
    final Clock clock;
    private final FailureLog failureLog;
    private final ReconcileInterval interval;
    private final UndoneWriteReport undoneWrites;
    private final ReconcileMetrics metrics;
    private final RunRecords records;

    // Unique without asking for randomness each time: this controller's random number and a count.
    private final String idPrefix = Long.toHexString(ThreadLocalRandom.current().nextLong()) + "-";
    private final AtomicLong ids = new AtomicLong();
    final LongAdder reconciles = new LongAdder();
    final LongAdder errors = new LongAdder();
    final RecentTimes times = new RecentTimes();

    RequestHandler(ControllerParts parts, WorkQueue<Request> queue, FailureLog failureLog, ReconcileMetrics metrics) {
        this.parts = parts;
        this.controller = parts.descriptor().name();
        this.queue = queue;
        this.paused = new PausedKeys(parts);
        this.clock = parts.clock();
        this.failureLog = failureLog;
        this.interval = new ReconcileInterval(parts.options().minInterval(), clock, parts.memories());
        this.undoneWrites = parts.undoneWrites();
        this.metrics = metrics;
        this.records = new RunRecords(controller, parts.journal());
    }

    /** How long the key has to wait before it may be reconciled, zero for not at all. */
    Duration delay(Request request) {
        Duration interval = this.interval.remaining(request);
        Duration pause = undoneWrites.remaining(request);
        return pause.compareTo(interval) > 0 ? pause : interval;
    }

    /** Whether that is for writes that somebody undoes. */
    boolean isUndone(Request request) {
        return undoneWrites.remaining(request).compareTo(interval.remaining(request)) > 0;
    }

    /** The key waits for nothing the next time. */
    void waive(Request request) {
        interval.waive(request);
        undoneWrites.waive(request);
    }

    /** Prepares a reconcile of a key of the shard, on the thread that will call it. */
    ReconcileRun begin(Request request, Shard shard, Worker worker) {
        return new ReconcileRun(
                request,
                shard,
                worker,
                idPrefix + ids.incrementAndGet(),
                clock.nanoTime(),
                clock.now(),
                queue.taken(request),
                new RequestTrail(parts.cached(), parts.journal()::showsValues));
    }

    /** Calls the reconciler, now that nothing keeps it from running; whatever that throws is kept in the run. */
    void reconcile(ReconcileRun run) {
        interval.begun(run.request);
        Duration timeLimit = parts.options().reconcileTimeout();
        if (timeLimit != null) {
            run.timeLimit = parts.timer().schedule(timeLimit, () -> timeOut(run));
        }
        try {
            MDC.put("controller", controller);
            if (run.request.getNamespace() != null) {
                MDC.put("namespace", run.request.getNamespace());
            }
            MDC.put("name", run.request.getName());
            MDC.put("reconcileID", run.id);
            run.result = parts.observationRegistry().isNoop() ? call(run) : observe(run);
        } catch (Throwable failure) {
            // An Error as well: it concerns this key, and the other keys are to go on.
            run.failure = failure;
        } finally {
            run.endedAt = clock.nanoTime();
            MDC.clear();
        }
    }

    private @Nullable Result call(ReconcileRun run) {
        // A request of its own: the class has setters, and the queue's key must not change.
        Request own = new Request(run.request.getNamespace(), run.request.getName());
        return run.trail.during(() -> undoneWrites.during(
                run.request,
                () -> parts.term()
                        .within(run.shard.number(), () -> parts.reconciler().reconcile(own))));
    }

    private @Nullable Result observe(ReconcileRun run) {
        // Who traces it tells why and how long the key waited.
        Observation observation = Observation.createNotStarted(
                        "controller.reconcile",
                        () -> new Observation.Context().put(Taken.class, run.taken),
                        parts.observationRegistry())
                .contextualName("reconcile " + controller)
                .lowCardinalityKeyValue("controller", controller)
                .highCardinalityKeyValue(
                        "namespace", run.request.getNamespace() == null ? "" : run.request.getNamespace())
                .highCardinalityKeyValue("name", run.request.getName())
                .highCardinalityKeyValue("reconcileID", run.id);
        return observation.observe(() -> {
            ReconcileResult outcome = ReconcileResult.ERROR;
            run.traceId = Objects.requireNonNullElse(MDC.get("traceId"), "");
            try {
                Result result = call(run);
                outcome = ReconcileResult.of(result);
                return result;
            } finally {
                observation.lowCardinalityKeyValue("result", outcome.label());
            }
        });
    }

    private void timeOut(ReconcileRun run) {
        if (run.shard.timeOut(run)) {
            metrics.timeouts.increment();
        }
        interrupted(run);
    }

    /** Someone has interrupted a reconcile: it should end soon. */
    void interrupted(ReconcileRun run) {
        parts.timer().schedule(parts.interruptGrace(), () -> checkEnd(run));
    }

    private void checkEnd(ReconcileRun run) {
        if (!run.shard.markStuck(run)) {
            return;
        }
        run.worker.replace();
        String stack = Arrays.stream(run.thread.getStackTrace())
                .map(frame -> System.lineSeparator() + "\tat " + frame)
                .collect(Collectors.joining());
        failureLog
                .event(log.atError(), run)
                .addKeyValue("thread", run.thread.getName())
                .addKeyValue("running", Duration.ofNanos(clock.nanoTime() - run.startedAt))
                .log(
                        "Reconcile of {} {} does not end, and another worker takes its worker's place: {}",
                        controller,
                        run.key(),
                        stack);
    }

    /** Deals with what came of it. It is interrupted by nobody any more, but the worker still has the key. */
    void conclude(ReconcileRun run) {
        Duration took = Duration.ofNanos(run.endedAt - run.startedAt);
        if (run.stuck) {
            failureLog
                    .event(log.atInfo(), run)
                    .addKeyValue("took", took)
                    .log(
                            "Reconcile of {} {} was stuck and has ended after {} s",
                            controller,
                            run.key(),
                            took.toSeconds());
        }
        Throwable failure = run.failure;
        if (failure != null && run.stopped) {
            // It was interrupted because its shard was closed, and its key was put back: that is no failure.
            return;
        }
        interval.ended(run.request);
        ReconcileResult result = failure == null ? ReconcileResult.of(run.result) : ReconcileResult.ERROR;
        reconciles.increment();
        times.add(took.toNanos(), run.endedAt);
        metrics.reconciled(result, took.toNanos());
        if (failure != null) {
            failed(run, failure);
        } else {
            succeeded(run, result);
        }
        Instant again = parts.memories().comesAgain(run.request);
        if (again != null) {
            run.over = false;
            comeAgain(run, Duration.between(clock.now(), again));
        }
        records.ended(run, result);
        // Asked last: whoever outdates it later than this forgets what came of it.
        if (run.outdated) {
            renew(run.request);
        }
    }

    /** Forgets what came of a key, whose object is another one or is outdated here. */
    void renew(Request request) {
        parts.memories().forget(request);
        queue.renew(request);
    }

    private void failed(ReconcileRun run, Throwable failure) {
        errors.increment();
        metrics.errors.increment();
        if (failure instanceof Error) {
            metrics.panics.increment();
        }
        FailureCause cause = FailureCause.of(failure);
        Duration retry = null;
        if (cause.terminal()) {
            metrics.terminalErrors.increment();
            run.over = true;
            queue.forget(run.request);
        } else {
            retry = queue.addRateLimited(run.request);
        }
        run.again = retry;
        failureLog.failed(run, failure, cause, retry);
    }

    private void succeeded(ReconcileRun run, ReconcileResult result) {
        failureLog.ended(run.request);
        if (result == ReconcileResult.REQUEUE) {
            run.again = queue.addRateLimited(run.request, run.priority());
            return;
        }
        queue.forget(run.request);
        run.over = result == ReconcileResult.SUCCESS;
        if (run.result != null && !run.over) {
            comeAgain(run, run.result.getRequeueAfter());
        }
    }

    private void comeAgain(ReconcileRun run, Duration after) {
        run.again = run.again == null || after.compareTo(run.again) < 0 ? after : run.again;
        Causes causes = Causes.of(Cause.Kind.AGAIN).delayed(Causes.Delay.ASKED, nanos(after));
        queue.addAfter(run.request, after, causes, run.priority());
    }

    /** One of more than 292 years is one of that. */
    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0 ? duration.toNanos() : Long.MAX_VALUE;
    }
}

package io.controllermanager.controller.internal;

import io.controllermanager.controller.TerminalException;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Calls the reconciler for a key and decides what becomes of the key; see {@link Controller}. */
final class RequestHandler implements Worker.Work {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    /** So deep a {@link TerminalException} is looked for; causes may go in a circle. */
    private static final int MOST_CAUSES = 20;

    private final String controller;
    private final Reconciler reconciler;
    private final ReconcileTerm term;
    private final WorkQueue<Request> queue;
    private final Clock clock;
    private final ObservationRegistry observations;
    private final Watchdog watchdog;
    private final FailureLog failureLog;
    private final ReconcileInterval interval;
    private final @Nullable UndoneWriteReport undoneWrites;
    private final @Nullable ReconcileMetrics metrics;

    // Unique without asking for randomness each time: this controller's random number and a count.
    private final String idPrefix = Long.toHexString(ThreadLocalRandom.current().nextLong()) + "-";
    private final AtomicLong ids = new AtomicLong();
    private final LongAdder reconciles = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final RecentTimes times = new RecentTimes();

    RequestHandler(
            String controller,
            Reconciler reconciler,
            ReconcileTerm term,
            WorkQueue<Request> queue,
            Clock clock,
            ObservationRegistry observations,
            Watchdog watchdog,
            FailureLog failureLog,
            ReconcileInterval interval,
            @Nullable UndoneWriteReport undoneWrites,
            @Nullable ReconcileMetrics metrics) {
        this.controller = controller;
        this.reconciler = reconciler;
        this.term = term;
        this.queue = queue;
        this.clock = clock;
        this.observations = observations;
        this.watchdog = watchdog;
        this.failureLog = failureLog;
        this.interval = interval;
        this.undoneWrites = undoneWrites;
        this.metrics = metrics;
    }

    long reconciles() {
        return reconciles.sum();
    }

    long errors() {
        return errors.sum();
    }

    /** How long those that ended in the last minutes took, null if none did. */
    @Nullable
    ReconcileTimes times() {
        return times.summary(clock.nanoTime());
    }

    @Override
    public Duration delay(Request request) {
        Duration interval = this.interval.remaining(request);
        Duration pause = undoneWrites == null ? Duration.ZERO : undoneWrites.remaining(request);
        return pause.compareTo(interval) > 0 ? pause : interval;
    }

    /** The key waits for nothing the next time. */
    void waive(Request request) {
        interval.waive(request);
        if (undoneWrites != null) {
            undoneWrites.forget(request);
        }
    }

    @Override
    public ReconcileRun begin(Request request, int shard) {
        return new ReconcileRun(request, shard, idPrefix + ids.incrementAndGet(), clock.nanoTime());
    }

    @Override
    public void reconcile(Worker worker, ReconcileRun run) {
        interval.begun(run.request);
        run.timeLimit = watchdog.watch(worker, run);
        try {
            MDC.put("controller", controller);
            if (run.request.getNamespace() != null) {
                MDC.put("namespace", run.request.getNamespace());
            }
            MDC.put("name", run.request.getName());
            MDC.put("reconcileID", run.id);
            run.result = observations.isNoop() ? call(run) : observe(run);
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
        return undoneWrites == null
                ? term.within(run.shard, () -> reconciler.reconcile(own))
                : undoneWrites.during(run.request, () -> term.within(run.shard, () -> reconciler.reconcile(own)));
    }

    private @Nullable Result observe(ReconcileRun run) {
        Observation observation = Observation.createNotStarted("controller.reconcile", observations)
                .contextualName("reconcile " + controller)
                .lowCardinalityKeyValue("controller", controller)
                .highCardinalityKeyValue(
                        "namespace", run.request.getNamespace() == null ? "" : run.request.getNamespace())
                .highCardinalityKeyValue("name", run.request.getName())
                .highCardinalityKeyValue("reconcileID", run.id)
                .start();
        Outcome outcome = Outcome.ERROR;
        Observation.Scope scope = observation.openScope();
        try {
            Result result = call(run);
            outcome = Outcome.of(result);
            return result;
        } catch (Throwable failure) {
            observation.error(failure);
            throw failure;
        } finally {
            scope.close();
            observation.lowCardinalityKeyValue("result", outcome.label());
            observation.stop();
        }
    }

    @Override
    public void settle(ReconcileRun run) {
        if (run.stuck) {
            failureLog
                    .event(log.atInfo(), run)
                    .addKeyValue("took", Duration.ofNanos(run.endedAt - run.startedAt))
                    .log(
                            "Reconcile of {} {} was stuck and has ended after {} s",
                            controller,
                            run.key(),
                            Duration.ofNanos(run.endedAt - run.startedAt).toSeconds());
        }
        Throwable failure = run.failure;
        if (failure != null && run.stopped) {
            // It was interrupted because workers were stopped, and its key was put back: that is no failure.
            return;
        }
        if (!run.outdated) {
            interval.ended(run.request);
        }
        reconciles.increment();
        times.add(run.endedAt - run.startedAt, run.endedAt);
        if (metrics != null) {
            metrics.reconciled(run.endedAt - run.startedAt);
        }
        if (failure != null) {
            failed(run, failure);
        } else {
            run.over = Outcome.of(run.result) == Outcome.SUCCESS;
            succeeded(run.request, run.result);
        }
        if (run.outdated) {
            queue.forget(run.request);
            failureLog.ended(run.request);
        }
    }

    @Override
    public void renew(Request request) {
        interval.forget(request);
        if (undoneWrites != null) {
            undoneWrites.forget(request);
        }
        failureLog.ended(request);
        queue.renew(request);
    }

    private void failed(ReconcileRun run, Throwable failure) {
        errors.increment();
        boolean terminal = isTerminal(failure);
        Duration retry = null;
        if (terminal) {
            run.over = true;
            queue.forget(run.request);
        } else {
            retry = queue.addRateLimited(run.request);
        }
        if (metrics != null) {
            metrics.error.increment();
            metrics.errors.increment();
            if (terminal) {
                metrics.terminalErrors.increment();
            }
            if (failure instanceof Error) {
                metrics.panics.increment();
            }
        }
        failureLog.failed(run, failure, retry);
    }

    /** As Go's {@code errors.Is}: whatever has wrapped it on its way, a proxy or a future, does not change what it means. */
    private static boolean isTerminal(Throwable failure) {
        Throwable at = failure;
        for (int i = 0; at != null && i < MOST_CAUSES; i++) {
            if (at instanceof TerminalException) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    private void succeeded(Request request, @Nullable Result result) {
        failureLog.ended(request);
        switch (Outcome.of(result)) {
            case REQUEUE -> {
                queue.addRateLimited(request);
                if (metrics != null) {
                    metrics.requeue.increment();
                }
            }
            case REQUEUE_AFTER -> {
                queue.forget(request);
                if (result != null) {
                    queue.addAfter(request, result.getRequeueAfter());
                }
                if (metrics != null) {
                    metrics.requeueAfter.increment();
                }
            }
            case SUCCESS, ERROR -> {
                queue.forget(request);
                if (metrics != null) {
                    metrics.success.increment();
                }
            }
        }
    }
}

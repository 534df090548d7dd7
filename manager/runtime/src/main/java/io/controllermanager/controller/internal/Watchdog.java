package io.controllermanager.controller.internal;

import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts reconciles at their time limit, and reports those that go on in spite of it. What a worker does with the key
 * afterwards counts as well, until it gives the key back: it takes microseconds, unless something that it needs hangs. It is
 * not interrupted.
 */
final class Watchdog {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    private final ControllerBuilder parts;
    private final FailureLog failureLog;
    private final Runnable timedOut;
    private final Consumer<ReconcileRun> stuck;

    /**
     * Makes a watchdog.
     *
     * @param timedOut told when a time limit has been reached
     * @param stuck told whose worker needs a replacement
     */
    Watchdog(ControllerBuilder parts, FailureLog failureLog, Runnable timedOut, Consumer<ReconcileRun> stuck) {
        this.parts = parts;
        this.failureLog = failureLog;
        this.timedOut = timedOut;
        this.stuck = stuck;
    }

    /** Watches a reconcile that begins now; null if there is no time limit. */
    Timer.@Nullable Cancellable watch(ReconcileRun run) {
        Duration timeLimit = parts.options.reconcileTimeout();
        return timeLimit == null
                ? null
                : parts.timer.schedule(timeLimit, () -> {
                    if (run.shard.timeOut(run)) {
                        timedOut.run();
                    }
                    interrupted(run);
                });
    }

    /** Someone has interrupted a reconcile: it should end soon. */
    void interrupted(ReconcileRun run) {
        parts.timer.schedule(parts.interruptGrace, () -> check(run));
    }

    private void check(ReconcileRun run) {
        if (!run.shard.markStuck(run)) {
            return;
        }
        stuck.accept(run);
        String stack = Arrays.stream(run.thread.getStackTrace())
                .map(frame -> System.lineSeparator() + "\tat " + frame)
                .collect(Collectors.joining());
        failureLog
                .event(log.atError(), run)
                .addKeyValue("thread", run.thread.getName())
                .addKeyValue("running", Duration.ofNanos(parts.clock.nanoTime() - run.startedAt))
                .log(
                        "Reconcile of {} {} does not end, and another worker takes its worker's place: {}",
                        parts.descriptor.name(),
                        run.key(),
                        stack);
    }
}

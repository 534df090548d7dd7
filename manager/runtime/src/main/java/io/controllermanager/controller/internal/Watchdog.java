package io.controllermanager.controller.internal;

import io.controllermanager.time.Clock;
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

    private final String controller;
    private final @Nullable Duration timeLimit;
    private final Duration grace;
    private final Clock clock;
    private final Timer timer;
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
        this.controller = parts.descriptor.name();
        this.timeLimit = parts.options.reconcileTimeout();
        this.grace = parts.interruptGrace;
        this.clock = parts.clock;
        this.timer = parts.timer;
        this.failureLog = failureLog;
        this.timedOut = timedOut;
        this.stuck = stuck;
    }

    /** Watches a reconcile that begins now; null if there is no time limit. */
    Timer.@Nullable Cancellable watch(ReconcileRun run) {
        return timeLimit == null
                ? null
                : timer.schedule(timeLimit, () -> {
                    if (run.shard.timeOut(run)) {
                        timedOut.run();
                    }
                    interrupted(run);
                });
    }

    /** Someone has interrupted a reconcile: it should end soon. */
    void interrupted(ReconcileRun run) {
        timer.schedule(grace, () -> check(run));
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
                .addKeyValue("running", Duration.ofNanos(clock.nanoTime() - run.startedAt))
                .log(
                        "Reconcile of {} {} does not end, and another worker takes its worker's place: {}",
                        controller,
                        run.key(),
                        stack);
    }
}

package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Which keys fail, and what of it is logged. At DEBUG each failure is told of, and has a stack trace. Else, where one key fails
 * again and again, or 100,000 keys fail by the same cause, the log would hold nothing else:
 *
 * <ul>
 *   <li>A key that goes on failing by one cause gets a line at once and then one a minute at most, with how often it has
 *       failed.
 *   <li>A cause gets 100 lines a minute at most, and ten stack traces, each for another key. Ten more may come once it has
 *       not occurred for an hour. The next line tells how many were left out.
 * </ul>
 *
 * It remembers each key that is failing until {@link #ended}, and the 100 causes that occurred last. The levels:
 *
 * <ul>
 *   <li>WARN: the API server has answered with an error or could not be reached, or a {@link TerminalException} tells of a
 *       mistake in the object, which its author mends. The line says all; there is no stack trace.
 *   <li>ERROR: any other exception, which is probably a mistake in the reconciler.
 * </ul>
 *
 * Lines are written after the reconciler has returned, when the MDC has been cleared, and carry what was in it as key
 * and value: structured formats do not take the same name from both. The message is {@code cause}: {@code error} is an
 * object with the stack trace in the Elastic Common Schema, and a line that has both would not be written.
 *
 * <p>Safe for use by several threads; only one at a time may deal with a key.
 */
final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    /** With messages of at most 500 characters that is some 15 KB for a controller at most. */
    static final int RECENT = 10;

    static final Duration INTERVAL = Duration.ofMinutes(1);
    static final int LINES = 100;
    static final int STACKS = 10;
    static final Duration MEMORY = Duration.ofHours(1);
    static final int CAUSES = 100;

    private final String controller;
    private final Clock clock;
    private final Map<Request, Episode> failing;

    /** Of each of the keys that failed last the newest failure, the newest first. */
    private final Map<String, Failure> recent = Collections.synchronizedMap(new BoundedMap<>(RECENT));

    @GuardedBy("this")
    private final Map<String, Occurrences> causes = new BoundedMap<>(CAUSES);

    /**
     * A key's failures by one cause, without a success between them.
     *
     * @param times how many there were
     * @param since when the first was
     * @param told when the last line about it was, null if there was none
     */
    private record Episode(
            String cause, int times, long since, @Nullable Long told) {}

    /** What there was of one cause. */
    private static final class Occurrences {
        private final String name;
        private long last;
        private long minute;
        private int lines;
        private int stacks;
        private long leftOut;

        Occurrences(String name, long now) {
            this.name = name;
            this.minute = now;
        }

        /** Whether there may be one more line now. */
        boolean admits(long now) {
            if (now - minute >= INTERVAL.toNanos()) {
                minute = now;
                lines = 0;
            }
            boolean admitted = lines < LINES;
            lines += admitted ? 1 : 0;
            return admitted;
        }
    }

    /**
     * What is to be said of a failure.
     *
     * @param line whether there is to be a line at all
     * @param stack whether it has a stack trace
     * @param times how often the key has failed by this cause without a success between
     * @param within how long ago the first of these was
     * @param leftOut how many lines were left out since the last one for this cause
     */
    record Telling(boolean line, boolean stack, int times, Duration within, long leftOut) {}

    FailureLog(String controller, Clock clock, KeyMemories memories) {
        this.controller = controller;
        this.clock = clock;
        this.failing = memories.part();
    }

    /**
     * The reconcile failed.
     *
     * @param cause of the failure
     * @param retry when the key comes again without a change of its object, null if it does not
     */
    void failed(ReconcileRun run, Throwable failure, FailureCause cause, @Nullable Duration retry) {
        String message = FailureMessage.of(failure);
        recent.put(run.key(), new Failure(run.key(), message, clock.now()));
        Telling telling = judge(run.request, cause, retry != null);
        Level level = !telling.line() ? Level.DEBUG : retry == null || cause.known() ? Level.WARN : Level.ERROR;
        LoggingEventBuilder event = event(log.atLevel(level), run).addKeyValue("cause", message);
        if (telling.stack() || log.isDebugEnabled()) {
            event = event.setCause(failure);
        }
        event.log(
                "Reconcile of {} {} {}, and {}: {}{}",
                controller,
                run.key(),
                what(run, telling),
                retry == null ? "waits for a change" : "is retried in " + text(retry),
                message,
                telling.leftOut() == 0 ? "" : "; " + telling.leftOut() + " lines like this were left out");
    }

    /**
     * Says what is news of a failure.
     *
     * @param retried whether the key comes again without a change of its object; if not, it is no longer failing
     */
    synchronized Telling judge(Request key, FailureCause cause, boolean retried) {
        long now = clock.nanoTime();
        Occurrences occurrences = causes.get(cause.name());
        if (occurrences == null || now - occurrences.last >= MEMORY.toNanos()) {
            occurrences = new Occurrences(cause.name(), now);
            causes.put(cause.name(), occurrences);
        }
        occurrences.last = now;
        Episode before = failing.get(key);
        if (before == null || !before.cause().equals(cause.name())) {
            // The name is that of the occurrences, so that many keys share one text.
            before = new Episode(occurrences.name, 0, now, null);
        }
        Long told = before.told();
        boolean due = told == null || now - told >= INTERVAL.toNanos();
        boolean line = due && occurrences.admits(now);
        boolean stack = line && retried && !cause.known() && told == null && occurrences.stacks < STACKS;
        occurrences.stacks += stack ? 1 : 0;
        long leftOut = line ? occurrences.leftOut : 0;
        if (due) {
            occurrences.leftOut = line ? 0 : occurrences.leftOut + 1;
        }
        int times = before.times() + 1;
        if (retried) {
            failing.put(key, new Episode(before.cause(), times, before.since(), line ? Long.valueOf(now) : told));
        } else {
            failing.remove(key);
        }
        return new Telling(line, stack, times, Duration.ofNanos(now - before.since()), leftOut);
    }

    /** The key has been reconciled without a failure, or its object is another one now. */
    void ended(Request key) {
        failing.remove(key);
    }

    /** How many keys wait for a retry after a failure. */
    int failing() {
        return failing.size();
    }

    private static String what(ReconcileRun run, Telling telling) {
        String once = run.timedOut ? "was interrupted at its time limit" : "failed";
        return telling.times() == 1 ? once : once + " " + telling.times() + " times within " + text(telling.within());
    }

    private static String text(Duration time) {
        return time.toMillis() < 10_000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
    }

    /** For people to look at, of the ten keys that failed last the newest failure of each; the newest first. */
    List<Failure> recent() {
        List<Failure> failures = new ArrayList<>(recent.values());
        Collections.reverse(failures);
        return failures;
    }

    LoggingEventBuilder event(LoggingEventBuilder builder, ReconcileRun run) {
        LoggingEventBuilder event = builder.addKeyValue("controller", controller);
        if (run.request.getNamespace() != null) {
            event = event.addKeyValue("namespace", run.request.getNamespace());
        }
        event = event.addKeyValue("name", run.request.getName()).addKeyValue("reconcileID", run.id);
        return run.traceId.isEmpty() ? event : event.addKeyValue("traceId", run.traceId);
    }
}

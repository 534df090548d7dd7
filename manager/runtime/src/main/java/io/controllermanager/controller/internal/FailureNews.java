package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which of a controller's failed reconciles are news. Where one key fails again and again, or 100,000 keys fail by the same
 * cause, the log would otherwise hold nothing else:
 *
 * <ul>
 *   <li>A key that goes on failing by one cause gets a line at once and then one a minute at most, with how often it has
 *       failed.
 *   <li>A cause gets 100 lines a minute at most, and ten stack traces, each for another key. Ten more may come once it has
 *       not occurred for an hour. The next line tells how many were left out.
 * </ul>
 *
 * It remembers each key that is failing until {@link #ended}, and the 100 causes that occurred last. Safe for use by
 * several threads; only one at a time may deal with a key.
 */
final class FailureNews {

    static final Duration INTERVAL = Duration.ofMinutes(1);
    static final int LINES = 100;
    static final int STACKS = 10;
    static final Duration MEMORY = Duration.ofHours(1);
    static final int CAUSES = 100;

    private final Clock clock;
    private final Map<Request, Episode> failing;

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

    FailureNews(Clock clock, KeyMemories memories) {
        this.clock = clock;
        this.failing = memories.part();
    }

    /**
     * A reconcile failed.
     *
     * @param retried whether the key comes again without a change of its object; if not, it is no longer failing
     */
    synchronized Telling failed(Request key, FailureCause cause, boolean retried) {
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
        Telling telling = new Telling(false, false, before.times() + 1, Duration.ofNanos(now - before.since()), 0);
        Long told = before.told();
        if (told == null || now - told >= INTERVAL.toNanos()) {
            telling = tell(telling, occurrences, retried && !cause.known() && told == null, now);
        }
        if (retried) {
            Long toldNow = telling.line() ? Long.valueOf(now) : told;
            failing.put(key, new Episode(before.cause(), telling.times(), before.since(), toldNow));
        } else {
            failing.remove(key);
        }
        return telling;
    }

    private static Telling tell(Telling silence, Occurrences cause, boolean mayHaveStack, long now) {
        if (now - cause.minute >= INTERVAL.toNanos()) {
            cause.minute = now;
            cause.lines = 0;
        }
        if (cause.lines == LINES) {
            cause.leftOut++;
            return silence;
        }
        cause.lines++;
        boolean stack = mayHaveStack && cause.stacks < STACKS;
        cause.stacks += stack ? 1 : 0;
        long leftOut = cause.leftOut;
        cause.leftOut = 0;
        return new Telling(true, stack, silence.times(), silence.within(), leftOut);
    }

    /** The key has been reconciled without a failure, or its object is another one now. */
    void ended(Request key) {
        failing.remove(key);
    }

    /** How many keys wait for a retry after a failure. */
    int failing() {
        return failing.size();
    }
}

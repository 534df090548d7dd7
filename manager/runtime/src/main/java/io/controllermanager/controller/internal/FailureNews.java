package io.controllermanager.controller.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
    private final Map<Request, Episode> failing = new ConcurrentHashMap<>();

    /** By name, the one that occurred last at the end; guarded by its own monitor. */
    private final Map<String, Occurrences> causes = new LinkedHashMap<>();

    /**
     * A key's failures by one cause, without a success between them.
     *
     * @param times how many there were
     * @param since when the first was
     * @param told when the last line about it was, null if there was none
     */
    private record Episode(
            Occurrences cause,
            int times,
            long since,
            @Nullable Long told) {

        boolean isOf(FailureCause other) {
            return cause.name.equals(other.name());
        }
    }

    /** What there was of one cause; all but the name is guarded by the monitor of {@link #causes}. */
    private static final class Occurrences {
        private final String name;
        private long last;
        private long minute;
        private int lines;
        private int stacks;
        private long leftOut;

        Occurrences(String name, long now) {
            this.name = name;
            this.last = now;
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

    FailureNews(Clock clock) {
        this.clock = clock;
    }

    /**
     * A reconcile failed.
     *
     * @param retried whether the key comes again without a change of its object; if not, it is no longer failing
     */
    Telling failed(Request key, FailureCause cause, boolean retried) {
        long now = clock.nanoTime();
        Occurrences occurrences = occurrences(cause.name(), now);
        Episode before = retried ? failing.get(key) : failing.remove(key);
        Episode episode = before != null && before.isOf(cause)
                ? new Episode(before.cause(), before.times() + 1, before.since(), before.told())
                : new Episode(occurrences, 1, now, null);
        Telling telling = tell(episode, occurrences, retried && !cause.known(), now);
        if (retried) {
            Long told = telling.line() ? Long.valueOf(now) : episode.told();
            failing.put(key, new Episode(episode.cause(), episode.times(), episode.since(), told));
        }
        return telling;
    }

    private Occurrences occurrences(String cause, long now) {
        synchronized (causes) {
            Occurrences known = causes.remove(cause);
            Occurrences found =
                    known == null || now - known.last >= MEMORY.toNanos() ? new Occurrences(cause, now) : known;
            found.last = now;
            causes.put(found.name, found);
            if (causes.size() > CAUSES) {
                causes.remove(causes.keySet().iterator().next());
            }
            return found;
        }
    }

    private Telling tell(Episode episode, Occurrences cause, boolean mayHaveStack, long now) {
        Duration within = Duration.ofNanos(now - episode.since());
        Telling silence = new Telling(false, false, episode.times(), within, 0);
        if (episode.told() != null && now - episode.told() < INTERVAL.toNanos()) {
            return silence;
        }
        synchronized (causes) {
            if (now - cause.minute >= INTERVAL.toNanos()) {
                cause.minute = now;
                cause.lines = 0;
            }
            if (cause.lines == LINES) {
                cause.leftOut++;
                return silence;
            }
            cause.lines++;
            boolean stack = mayHaveStack && episode.told() == null && cause.stacks < STACKS;
            if (stack) {
                cause.stacks++;
            }
            long leftOut = cause.leftOut;
            cause.leftOut = 0;
            return new Telling(true, stack, episode.times(), within, leftOut);
        }
    }

    /** The key has been reconciled without a failure, or its object is another one now. */
    void ended(Request key) {
        if (!failing.isEmpty()) {
            failing.remove(key);
        }
    }

    /** How many keys wait for a retry after a failure. */
    int failing() {
        return failing.size();
    }
}

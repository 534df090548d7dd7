package io.controllermanager.external.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.external.External;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.TokenBucket;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls to one system through, or has objects come again later: while it is down, and while others have used up the calls of
 * this moment. An outage begins with one call that fails by it. After a pause that doubles one object tries; the others come a
 * while later, each at another time. An object that has to wait for its turn has it reserved. Safe for use by several threads.
 */
final class Gate {

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** An outage that is over by then is not told of where what was read before it will do. */
    private static final Duration LASTING = Duration.ofSeconds(30);

    private final String name;
    private final Clock clock;
    private final @Nullable TokenBucket calls;
    private final Map<Request, Long> turns;

    /** Spreads the hash of a key over all nanoseconds of a pause. */
    private static final long MIXING = 0x9E3779B97F4A7C15L;

    @GuardedBy("this")
    private @Nullable Outage outage;

    /**
     * Why there is to be no call now.
     *
     * @param after when to come again
     * @param reason one word to follow the name of what is kept
     * @param lasts whether it has been so for some time
     */
    record Wait(Duration after, String reason, String message, boolean lasts) {}

    /**
     * The system does not answer.
     *
     * @param begun when that began, on the monotonic clock
     * @param until when it is tried again
     */
    private record Outage(Instant since, String words, long begun, Duration pause, long until) {

        Outage pausing(Duration newPause, long newUntil) {
            return new Outage(since, words, begun, newPause, newUntil);
        }
    }

    Gate(String name, External.@Nullable Limit limit, Clock clock, Map<Request, Long> turns) {
        this.name = name;
        this.clock = clock;
        this.calls = limit == null ? null : new TokenBucket(clock, limit.perSecond(), limit.burst());
        this.turns = turns;
    }

    /** Asks for one call, the first for an object in a reconcile; returns why it has to wait, null if it has not. */
    synchronized @Nullable Wait enter(Request key) {
        long now = clock.nanoTime();
        Outage current = outage;
        if (current == null) {
            Duration turn = turn(key, now);
            return turn.isZero()
                    ? null
                    : new Wait(turn, "Throttled", "as many calls are made for " + name + " as may be", false);
        }
        if (now - current.until < 0) {
            return waiting(key, current, now);
        }
        // Others wait for the longest pause unless it fails before: a process may lose what tries.
        Duration doubled = current.pause.multipliedBy(2);
        outage = current.pausing(
                doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE, now + LONGEST_PAUSE.toNanos());
        return null;
    }

    /** Notes a call of an object that was let in. The first is the one that it was let in for. */
    void pass(Request key) {
        if (calls != null && turns.remove(key) == null) {
            calls.take();
        }
    }

    /** The system has answered. */
    synchronized void answered() {
        outage = null;
    }

    /** A call has failed by an outage; returns how long to wait. */
    synchronized Wait failed(Request key, String words) {
        long now = clock.nanoTime();
        Outage known = outage == null ? new Outage(clock.now(), words, now, FIRST_PAUSE, now) : outage;
        Outage pausing = known.pausing(known.pause, now + known.pause.toNanos());
        outage = pausing;
        return waiting(key, pausing, now);
    }

    private Duration turn(Request key, long now) {
        if (calls == null) {
            return Duration.ZERO;
        }
        long at = turns.computeIfAbsent(key, waits -> now + calls.take().toNanos());
        return Duration.ofNanos(Math.max(0, at - now));
    }

    /** Those that wait come one after the other, so that a system that is back is not asked by all at once. */
    private Wait waiting(Request key, Outage current, long now) {
        Duration left = Duration.ofNanos(Math.min(current.pause.toNanos(), Math.max(0, current.until - now)));
        Duration spread = Duration.ofNanos(Math.floorMod(key.hashCode() * MIXING, current.pause.toNanos()));
        return new Wait(
                left.plus(spread),
                "Unreachable",
                "nothing answers for " + name + " since " + current.since + ": " + current.words,
                now - current.begun >= LASTING.toNanos());
    }
}

package io.controllermanager.recorder.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lets a component record so many different Events about one object, and then few: a bucket of tokens for each component
 * and object, as {@code EventSourceObjectSpamFilter} in client-go's {@code tools/record}. Unlike there a repetition of
 * what was let through costs nothing, since it is counted in a series and not sent by itself: so an Event that comes
 * often does not use up what another one about the same object needs.
 *
 * <p>The 4,096 components and objects that recorded last are known; whoever was forgotten begins with a full bucket.
 * Safe for use by several threads.
 */
final class SpamFilter {

    /** As many as client-go's caches hold. */
    static final int BUCKETS = 4_096;

    /** More than what the standard limits let through while a repetition is one. */
    private static final int REMEMBERED = 32;

    private final double perNano;
    private final int burst;
    private final Clock clock;

    @GuardedBy("this")
    private final Map<Source, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Source, Bucket> eldest) {
            return size() > BUCKETS;
        }
    };

    private record Source(String component, String regarding) {}

    /** The tokens that are left, and when each Event that was let through was seen last; their hashes, since notes may be long. */
    private static final class Bucket {

        private final Map<Integer, Long> passed = new LinkedHashMap<>(2, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Long> eldest) {
                return size() > REMEMBERED;
            }
        };

        private double tokens;
        private long filledAt;

        Bucket(int burst, long now) {
            this.tokens = burst;
            this.filledAt = now;
        }

        /** Whether an Event was let through of late; it is seen once more then. */
        boolean repeats(int event, long now) {
            return passed.computeIfPresent(
                            event, (same, seenAt) -> now - seenAt <= EventSeries.MEMORY.toNanos() ? now : null)
                    != null;
        }
    }

    SpamFilter(EventLimits limits, Clock clock) {
        this.burst = limits.burst();
        this.perNano = limits.perSecond() / 1e9;
        this.clock = clock;
    }

    /** Whether an Event may be written or counted; it takes a token unless it is a repetition. */
    synchronized boolean admits(RecordedEvent.Identity event) {
        long now = clock.nanoTime();
        Bucket bucket = buckets.computeIfAbsent(
                new Source(event.component(), event.regarding()), source -> new Bucket(burst, now));
        if (bucket.repeats(event.hashCode(), now)) {
            return true;
        }
        bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.filledAt) * perNano);
        bucket.filledAt = now;
        if (bucket.tokens < 1) {
            return false;
        }
        bucket.tokens--;
        bucket.passed.put(event.hashCode(), now);
        return true;
    }

    /** How many components and objects are known. */
    synchronized int size() {
        return buckets.size();
    }
}

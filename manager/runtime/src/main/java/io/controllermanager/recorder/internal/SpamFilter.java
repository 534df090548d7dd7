package io.controllermanager.recorder.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.time.Clock;
import java.util.Arrays;
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
    private final Map<Source, Bucket> buckets = new BoundedMap<>(BUCKETS);

    private record Source(String component, String regarding) {}

    /** The tokens that are left, and which Events were let through; their hashes, since notes may be long. */
    private static final class Bucket {

        private double tokens;
        private long filledAt;
        private int[] passed = new int[1];
        private long[] seenAt = new long[1];
        private int size;

        Bucket(int burst, long now) {
            this.tokens = burst;
            this.filledAt = now;
        }

        boolean repeats(int event, long now) {
            for (int i = 0; i < size; i++) {
                if (passed[i] == event) {
                    boolean recent = now - seenAt[i] <= EventSeries.MEMORY.toNanos();
                    if (recent) {
                        seenAt[i] = now;
                    } else {
                        size--;
                        passed[i] = passed[size];
                        seenAt[i] = seenAt[size];
                    }
                    return recent;
                }
            }
            return false;
        }

        void remember(int event, long now) {
            int at = size;
            if (size == REMEMBERED) {
                at = 0;
                for (int i = 1; i < size; i++) {
                    at = seenAt[i] - seenAt[at] < 0 ? i : at;
                }
            } else {
                if (size == passed.length) {
                    passed = Arrays.copyOf(passed, Math.min(REMEMBERED, 2 * size));
                    seenAt = Arrays.copyOf(seenAt, Math.min(REMEMBERED, 2 * size));
                }
                size++;
            }
            passed[at] = event;
            seenAt[at] = now;
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
        bucket.remember(event.hashCode(), now);
        return true;
    }

    /** How many components and objects are known. */
    synchronized int size() {
        return buckets.size();
    }
}

package io.controllermanager.recorder.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.TokenBucket;
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

    private final EventLimits limits;
    private final Clock clock;

    @GuardedBy("this")
    private final Map<Source, Bucket> buckets = new BoundedMap<>(BUCKETS);

    private record Source(String component, String regarding) {}

    /**
     * What one component may write about one object.
     *
     * @param passed when each Event that was let through was seen last; their hashes, since notes may be long
     */
    private record Bucket(TokenBucket tokens, Map<Integer, Long> passed) {}

    SpamFilter(EventLimits limits, Clock clock) {
        this.limits = limits;
        this.clock = clock;
    }

    /** Whether an Event may be written or counted; it takes a token unless it is a repetition. */
    synchronized boolean admits(RecordedEvent.Identity event) {
        long now = clock.nanoTime();
        Bucket bucket = buckets.computeIfAbsent(
                new Source(event.component(), event.regarding()),
                source -> new Bucket(
                        new TokenBucket(clock, limits.perSecond(), limits.burst()), new BoundedMap<>(REMEMBERED)));
        Long repeated = bucket.passed.computeIfPresent(
                event.hashCode(), (same, seenAt) -> now - seenAt <= EventSeries.MEMORY.toNanos() ? now : null);
        if (repeated != null) {
            return true;
        }
        boolean admitted = bucket.tokens.takeIfThere();
        if (admitted) {
            bucket.passed.put(event.hashCode(), now);
        }
        return admitted;
    }

    /** How many components and objects are known. */
    synchronized int size() {
        return buckets.size();
    }
}

package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long the reconciles of the last minutes took, for people to look at; the meters have what a monitoring system adds
 * up. Times are counted in buckets, four for each doubling from 1 µs on, in slots of one minute each, of which five are
 * looked at: the one that is being filled and the four before it. A slot costs 500 bytes, and only once it is needed. Safe
 * for use by several threads.
 */
final class RecentTimes {

    private static final int SLOTS = 5;
    private static final long SLOT_NANOS = Duration.ofMinutes(1).toNanos();

    /** Each doubling has as many buckets. */
    private static final int STEPS = 4;

    private static final int BUCKETS = 124;

    @GuardedBy("this")
    private final @Nullable Slot[] slots = new @Nullable Slot[SLOTS];

    /** What ended within one minute of the monotonic clock. */
    private static final class Slot {
        private final int[] counts = new int[BUCKETS];
        private final long minute;
        private long longest;

        Slot(long minute) {
            this.minute = minute;
        }
    }

    /**
     * A reconcile has ended.
     *
     * @param took nanoseconds
     * @param now what the monotonic clock said then
     */
    synchronized void add(long took, long now) {
        long minute = Math.floorDiv(now, SLOT_NANOS);
        int index = Math.floorMod(minute, SLOTS);
        Slot slot = slots[index];
        if (slot == null || slot.minute < minute) {
            slot = new Slot(minute);
            slots[index] = slot;
        } else if (slot.minute > minute) {
            // It ended long ago and is only now told of.
            return;
        }
        slot.counts[bucket(took / 1000)]++;
        slot.longest = Math.max(slot.longest, took);
    }

    /** Null if none has ended lately. */
    synchronized @Nullable ReconcileTimes summary(long now) {
        long minute = Math.floorDiv(now, SLOT_NANOS);
        int[] counts = new int[BUCKETS];
        long count = 0;
        long longest = 0;
        for (Slot slot : slots) {
            if (slot == null || slot.minute <= minute - SLOTS) {
                continue;
            }
            for (int i = 0; i < BUCKETS; i++) {
                counts[i] += slot.counts[i];
                count += slot.counts[i];
            }
            longest = Math.max(longest, slot.longest);
        }
        return count == 0
                ? null
                : new ReconcileTimes(
                        count,
                        quantile(counts, count, 0.5, longest),
                        quantile(counts, count, 0.99, longest),
                        Duration.ofNanos(longest));
    }

    /** The upper end of the bucket that it is in. */
    private static Duration quantile(int[] counts, long count, double quantile, long longest) {
        long rank = Math.max(1, (long) Math.ceil(count * quantile));
        long below = 0;
        int bucket = 0;
        while (below + counts[bucket] < rank) {
            below += counts[bucket];
            bucket++;
        }
        return Duration.ofNanos(Math.min(longest, lowerEnd(bucket + 1) * 1000));
    }

    private static int bucket(long micros) {
        if (micros < STEPS) {
            return (int) Math.max(0, micros);
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
        int step = (int) (micros >>> (exponent - 2)) & (STEPS - 1);
        return Math.min(BUCKETS - 1, (exponent - 1) * STEPS + step);
    }

    /** In microseconds. */
    private static long lowerEnd(int bucket) {
        return bucket < STEPS ? bucket : (long) (STEPS + bucket % STEPS) << (bucket / STEPS - 1);
    }
}

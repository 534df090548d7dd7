package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import java.time.Duration;
import org.HdrHistogram.IntCountsHistogram;
import org.jspecify.annotations.Nullable;

/**
 * How long the reconciles of the last minutes took, for people to look at; the meters have what a monitoring system adds
 * up. Times are counted in slots of one minute each, of which five are looked at: the one that is being filled and the four
 * before it. A slot costs some 2 KB, and only once it is needed. Safe for use by several threads.
 */
final class RecentTimes {

    private static final int SLOTS = 5;
    private static final long SLOT_NANOS = Duration.ofMinutes(1).toNanos();

    /** A tenth is near enough. */
    private static final int DIGITS = 1;

    @GuardedBy("this")
    private final @Nullable Slot[] slots = new @Nullable Slot[SLOTS];

    /** What ended within one minute of the monotonic clock. */
    private static final class Slot {
        private final IntCountsHistogram nanos = new IntCountsHistogram(DIGITS);
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
        slot.nanos.recordValue(Math.max(0, took));
        slot.longest = Math.max(slot.longest, took);
    }

    /** Null if none has ended lately. */
    synchronized @Nullable ReconcileTimes summary(long now) {
        long minute = Math.floorDiv(now, SLOT_NANOS);
        IntCountsHistogram all = new IntCountsHistogram(DIGITS);
        long longest = 0;
        for (Slot slot : slots) {
            if (slot != null && slot.minute > minute - SLOTS) {
                all.add(slot.nanos);
                longest = Math.max(longest, slot.longest);
            }
        }
        long count = all.getTotalCount();
        // The histogram knows ranges: the upper end may be more than any time was.
        return count == 0
                ? null
                : new ReconcileTimes(
                        count,
                        Duration.ofNanos(Math.min(longest, all.getValueAtPercentile(50))),
                        Duration.ofNanos(Math.min(longest, all.getValueAtPercentile(99))),
                        Duration.ofNanos(longest));
    }
}

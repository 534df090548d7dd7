package io.controllermanager.informer;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue that knows how long its first entry has been in it, at 12 bytes an entry. It gives room back once it is empty.
 * Guarded by its owner's lock.
 */
final class TimedQueue {

    private static final int SMALLEST = 16;

    /** A queue that has been larger starts anew when it is empty. */
    private static final int LARGEST_KEPT = 1_024;

    private @Nullable Object[] entries = new Object[SMALLEST];
    private long[] times = new long[SMALLEST];
    private int head;
    private int size;

    void add(Object entry, long now) {
        if (size == entries.length) {
            grow();
        }
        int tail = (head + size) & (entries.length - 1);
        entries[tail] = entry;
        times[tail] = now;
        size++;
    }

    private void grow() {
        int length = entries.length;
        @Nullable Object[] more = new Object[length * 2];
        long[] moreTimes = new long[length * 2];
        int first = length - head;
        System.arraycopy(entries, head, more, 0, first);
        System.arraycopy(entries, 0, more, first, head);
        System.arraycopy(times, head, moreTimes, 0, first);
        System.arraycopy(times, 0, moreTimes, first, head);
        entries = more;
        times = moreTimes;
        head = 0;
    }

    /** Takes the first entry; there must be one. */
    Object remove() {
        Object entry = Objects.requireNonNull(entries[head]);
        entries[head] = null;
        head = (head + 1) & (entries.length - 1);
        size--;
        if (size == 0 && entries.length > LARGEST_KEPT) {
            clear();
        }
        return entry;
    }

    /** When the first entry was added; there must be one. */
    long firstAddedAt() {
        return times[head];
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void clear() {
        if (entries.length > SMALLEST) {
            entries = new Object[SMALLEST];
            times = new long[SMALLEST];
        } else {
            Arrays.fill(entries, null);
        }
        head = 0;
        size = 0;
    }
}

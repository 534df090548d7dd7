package io.controllermanager.client.internal.request;

import java.util.concurrent.atomic.AtomicLong;

/** Counts failures that may come for every object, and has the 1st, 2nd, 4th, 8th... of them logged. Safe for several threads. */
public final class FailureCount {

    private final AtomicLong count = new AtomicLong();

    /** Counts one more. Returns how many there are now if this one is to be logged, else 0. */
    public long next() {
        long now = count.incrementAndGet();
        return Long.bitCount(now) == 1 ? now : 0;
    }

    /** How many there were. */
    public long total() {
        return count.get();
    }
}

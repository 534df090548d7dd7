package io.controllermanager.time;

import java.time.Instant;

/** Tells the time. Safe for use by several threads. */
public interface Clock {

    /**
     * Monotonic time in nanoseconds from an arbitrary origin, as {@link System#nanoTime()}. All durations are measured
     * by it: it does not jump when the wall clock is set.
     */
    long nanoTime();

    /** The wall clock's time, for what people read or the API server stores. */
    Instant now();

    /** The machine's clocks. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}

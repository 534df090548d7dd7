package io.controllermanager.schedule;

import java.time.Duration;
import java.time.Instant;

/** Every so often since an object was created, so that the slots of many objects do not fall together. */
record Interval(Duration length) implements Times {

    private static final Duration LEAST = Duration.ofMinutes(1);

    Interval {
        if (length.compareTo(LEAST) < 0 || !length.equals(Duration.ofSeconds(length.toSeconds()))) {
            throw new IllegalArgumentException(
                    "a schedule's interval must be whole seconds, and a minute or more, but is " + length);
        }
    }

    @Override
    public Instant next(Instant created, Instant after) {
        long passed =
                after.isBefore(created) ? 0 : Duration.between(created, after).dividedBy(length);
        return created.plusSeconds((passed + 1) * length.toSeconds());
    }
}

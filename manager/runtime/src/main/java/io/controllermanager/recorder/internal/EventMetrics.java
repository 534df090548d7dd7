package io.controllermanager.recorder.internal;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What became of the Events that were recorded. client-go counts none of it. */
final class EventMetrics {

    /** What may become of one. Its name in small letters is the metric's label. */
    enum Fate {
        /** It was created. */
        WRITTEN,
        /** It was counted in the series of an earlier one. */
        SERIES,
        /** It was left out, since its component has written too many about that object. */
        FILTERED,
        /** It was given up before it was sent. */
        DROPPED,
        /** It, or the count of a series, could not be written. */
        FAILED
    }

    private final Map<Fate, LongAdder> counts = new EnumMap<>(Fate.class);

    EventMetrics(MeterRegistry registry) {
        for (Fate fate : Fate.values()) {
            LongAdder count = new LongAdder();
            counts.put(fate, count);
            FunctionCounter.builder("event_recorder_events", count, LongAdder::doubleValue)
                    .description("Events recorded, by what became of them.")
                    .tag("result", fate.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }

    /** So many more had this fate. */
    void count(Fate fate, long events) {
        Objects.requireNonNull(counts.get(fate)).add(events);
    }

    /** How many had this fate. */
    long of(Fate fate) {
        return Objects.requireNonNull(counts.get(fate)).sum();
    }
}

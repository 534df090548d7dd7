package io.controllermanager.recorder.internal;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** What became of the Events that were recorded. client-go counts none of it. */
final class EventMetrics {

    private final LongAdder written = new LongAdder();
    private final LongAdder series = new LongAdder();
    private final LongAdder filtered = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder failed = new LongAdder();

    EventMetrics(MeterRegistry registry) {
        count(registry, "written", written);
        count(registry, "series", series);
        count(registry, "filtered", filtered);
        count(registry, "dropped", dropped);
        count(registry, "failed", failed);
    }

    private void count(MeterRegistry registry, String result, LongAdder counter) {
        FunctionCounter.builder("event_recorder_events", this, metrics -> counter.doubleValue())
                .description("Events recorded, by what became of them.")
                .tag("result", result)
                .register(registry);
    }

    /** An Event was created. */
    void written() {
        written.increment();
    }

    /** So many were counted in the series of an earlier one. */
    void repeated(int events) {
        series.add(events);
    }

    /** One was left out, since its component has written too many about that object. */
    void filtered() {
        filtered.increment();
    }

    /** So many were given up before they were sent. */
    void dropped(long events) {
        dropped.add(events);
    }

    /** One, or the count of a series, could not be written. */
    void failed() {
        failed.increment();
    }

    /** How many were given up, for whatever reason but the filter. */
    long lost() {
        return dropped.sum() + failed.sum();
    }
}

package io.controllermanager.client.internal.request;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Meters of one thing, which have tags in common, in a registry until closed. Guarded by their owner. */
public final class Meters implements AutoCloseable {

    private final MeterRegistry registry;
    private final List<Meter> all = new ArrayList<>();
    private final Tags tags;

    /** None at first. */
    public Meters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
    }

    /**
     * With a first meter, a gauge.
     *
     * @param name the label that tells such things apart; made unique by a number if it is taken
     */
    public <S> Meters(
            MeterRegistry registry,
            String name,
            String gauge,
            String description,
            S source,
            ToDoubleFunction<S> value) {
        this.registry = registry;
        synchronized (registry) {
            String free = name;
            for (int number = 2; registry.find(gauge).tag("name", free).meter() != null; number++) {
                free = name + "-" + number;
            }
            this.tags = Tags.of("name", free);
            gauge(gauge, description, source, value);
        }
    }

    private <M extends Meter> M keep(M meter) {
        all.add(meter);
        return meter;
    }

    /** A value that is read when it is scraped. Its source is held weakly. */
    public <S> Gauge gauge(String name, String description, S source, ToDoubleFunction<S> value, String... more) {
        return keep(Gauge.builder(name, source, value)
                .description(description)
                .tags(tags.and(more))
                .register(registry));
    }

    /** As a gauge, a time in nanoseconds, which the registry shows in a unit of its own. */
    public <S> void timeGauge(String name, String description, S source, ToDoubleFunction<S> nanos) {
        keep(TimeGauge.builder(name, source, TimeUnit.NANOSECONDS, nanos)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    /** As a gauge, a count. */
    public <S> void counter(String name, String description, S source, ToDoubleFunction<S> count, String... more) {
        keep(FunctionCounter.builder(name, source, count)
                .description(description)
                .tags(tags.and(more))
                .register(registry));
    }

    /** One that its owner increments. */
    public Counter counter(String name, String description, String... more) {
        return keep(Counter.builder(name)
                .description(description)
                .tags(tags.and(more))
                .register(registry));
    }

    public Timer timer(String name, String description) {
        return timer(Timer.builder(name).description(description));
    }

    public Timer timer(Timer.Builder timer) {
        return keep(timer.tags(tags).register(registry));
    }

    public DistributionSummary summary(String name, String description) {
        return keep(DistributionSummary.builder(name)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    /** Takes one meter out of the registry. */
    public void remove(Meter meter) {
        all.remove(meter);
        registry.remove(meter);
    }

    /** Takes all meters out of the registry. */
    @Override
    public void close() {
        all.forEach(registry::remove);
    }
}

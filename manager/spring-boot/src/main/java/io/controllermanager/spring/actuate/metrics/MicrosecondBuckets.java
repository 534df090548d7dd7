package io.controllermanager.spring.actuate.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Leaves the work queues' durations no bucket below a microsecond. Most registries, other than Prometheus's, make a gauge
 * of each bucket and name its bound in seconds with six decimals: upstream's two smallest, 10 and 100 ns, would be the
 * same gauge, {@code le=0}, and Micrometer warns of that.
 */
public final class MicrosecondBuckets implements MeterFilter {

    private static final Set<String> TIMERS = Set.of("workqueue.queue.duration", "workqueue.work.duration");

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        double[] nanos = config.getServiceLevelObjectiveBoundaries();
        if (nanos == null || !TIMERS.contains(id.getName())) {
            return config;
        }
        return DistributionStatisticConfig.builder()
                .serviceLevelObjectives(Arrays.stream(nanos)
                        .filter(bound -> bound >= TimeUnit.MICROSECONDS.toNanos(1))
                        .toArray())
                .build()
                .merge(config);
    }
}

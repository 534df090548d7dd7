package io.controllermanager.leaderelection.internal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.LongStream;

/** What an elector counts. The first two are client-go's; the others it lacks. */
final class ElectionMetrics {

    private static final Duration[] BUCKETS = LongStream.of(
                    1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    final Counter slowPath;
    final Counter failures;
    final Timer renewals;

    ElectionMetrics(MeterRegistry registry, String lease, LeaderElector elector) {
        Tags tags = Tags.of("name", lease);
        Gauge.builder("leader_election_master_status", elector, e -> e.isLeading() ? 1 : 0)
                .description("Whether this process holds the Lease: 1 the leader, 0 a standby.")
                .tags(tags)
                .register(registry);
        this.slowPath = Counter.builder("leader_election_slowpath_total")
                .description("How often the leader had to read its Lease before it could renew it.")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder(
                        "leader_election_transitions", elector, e -> e.status().transitions())
                .description("How often the Lease has changed its holder, as it says itself.")
                .tags(tags)
                .register(registry);
        Gauge.builder("leader_election_last_renewal_seconds", elector, ElectionMetrics::sinceRenewal)
                .description("Time since this process last renewed the Lease, NaN if it never has.")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "leader_election_wait_seconds",
                        elector,
                        e -> e.untilTaken().toNanos() / 1e9)
                .description("Time until this process may take the Lease, unless it is renewed; 0 if it leads or may.")
                .tags(tags)
                .register(registry);
        this.failures = Counter.builder("leader_election_renew_failures")
                .description("How often the Lease could not be renewed while this process led.")
                .tags(tags)
                .register(registry);
        this.renewals = Timer.builder("leader_election_renew_duration")
                .description("How long renewals of the Lease take that succeed.")
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    private static double sinceRenewal(LeaderElector elector) {
        Duration since = elector.status().sinceRenewal();
        return since == null ? Double.NaN : since.toNanos() / 1e9;
    }
}

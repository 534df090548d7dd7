package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.Counter;
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
        Meters meters = new Meters(registry, Tags.of("name", lease));
        meters.gauge(
                "leader_election_master_status",
                "Whether this process holds the Lease: 1 the leader, 0 a standby.",
                elector,
                e -> e.isLeading() ? 1 : 0);
        this.slowPath = meters.counter(
                "leader_election_slowpath_total",
                "How often the leader had to read its Lease before it could renew it.");
        meters.counter(
                "leader_election_transitions",
                "How often the Lease has changed its holder, as it says itself.",
                elector,
                e -> e.status().transitions());
        meters.gauge(
                "leader_election_last_renewal_seconds",
                "Time since this process last renewed the Lease, NaN if it never has.",
                elector,
                ElectionMetrics::sinceRenewal);
        meters.gauge(
                "leader_election_wait_seconds",
                "Time until this process may take the Lease, unless it is renewed; 0 if it leads or may.",
                elector,
                e -> e.untilTaken().toNanos() / 1e9);
        this.failures = meters.counter(
                "leader_election_renew_failures", "How often the Lease could not be renewed while this process led.");
        this.renewals = meters.timer(Timer.builder("leader_election_renew_duration")
                .description("How long renewals of the Lease take that succeed.")
                .serviceLevelObjectives(BUCKETS));
    }

    private static double sinceRenewal(LeaderElector elector) {
        Duration since = elector.status().sinceRenewal();
        return since == null ? Double.NaN : since.toNanos() / 1e9;
    }
}

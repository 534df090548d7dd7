package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A contest for one Lease in memory, in virtual time: what the tests of the election share. Contenders run on the thread
 * that moves the time; what their listeners are told stands in {@link #notices}.
 *
 * <p>The parts of the tests are {@link LeaderElectorAcquiringTest}, {@link LeaderElectorRenewingTest}, {@link
 * LeaderElectorLosingTest}, {@link LeaderElectorReleasingTest}, {@link LeaderElectorStatusTest} and, once the Lease is
 * watched, {@link LeaseWatchingTest}. These cases of {@code leaderelection_test.go} and {@code
 * healthzadaptor_test.go} in client-go v0.36.3 are re-expressed in them:
 *
 * <ul>
 *   <li>{@code testTryAcquireOrRenew}: acquire from no object, from an object without record, from a led object after its
 *       lease duration, from an unled object, from a led object not yet observed, from an empty led one although just
 *       observed; no acquisition of a led and fresh one; renewal of one's own
 *   <li>{@code testReleaseLease}: release of an acquired lock that is gone
 *   <li>{@code TestReleaseMethodCallsGet} and {@code TestReleaseRetriesOnConflict}: a release works on the newest
 *       resourceVersion; it is read after a conflict only, as for renewals
 *   <li>{@code testReleaseOnCancellation}: release after a stop in the midst of an update, and of a get
 *   <li>{@code TestFastPathLeaderElection}: renewals need no get; after a conflict one get is made
 *   <li>{@code TestLeaderElectionHealthChecker}: before the start, far expired, far expired but another's, not expired,
 *       expired within the tolerance
 *   <li>{@code TestLeaderElectionConfigValidation}: in {@link LeaderElectionConfigTest}
 *   <li>{@code TestLeaseSpecToLeaderElectionRecordRoundTrip}: in {@link LeasesTest}
 * </ul>
 *
 * <p>{@code TestTryCoordinatedRenew} is left out: coordinated leader election (an alpha feature) is not built. {@code
 * TestCheckMethodRace} is a data race test for Go's race detector; its state is guarded by a monitor here. One case
 * differs on purpose: a Lease with a holder but no duration is waited out for our own lease duration, where client-go
 * takes it at once.
 */
abstract class Contest {

    final VirtualTime time = new VirtualTime();
    final LeaseStore store = new LeaseStore();
    final StorageHistory history = new StorageHistory();
    final List<String> notices = new ArrayList<>();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final List<Contender> contenders = new ArrayList<>();

    /** The most contenders that led at once when one of them had just acquired the Lease. */
    long mostAtOnce;

    V1Lease current() {
        return Objects.requireNonNull(store.current());
    }

    V1LeaseSpec spec() {
        return specOf(current());
    }

    static V1LeaseSpec specOf(V1Lease lease) {
        return Objects.requireNonNull(lease.getSpec());
    }

    static Instant instant(@Nullable OffsetDateTime at) {
        return Objects.requireNonNull(at).toInstant();
    }

    static V1Lease lease(String holder, int seconds, int transitions) {
        return new V1Lease()
                .metadata(new V1ObjectMeta().name("lease").namespace("ns"))
                .spec(new V1LeaseSpec()
                        .holderIdentity(holder)
                        .leaseDurationSeconds(seconds)
                        .leaseTransitions(transitions)
                        .acquireTime(VirtualTime.START.atOffset(ZoneOffset.UTC))
                        .renewTime(VirtualTime.START.atOffset(ZoneOffset.UTC)));
    }

    static LeaderElectionConfig config(String identity) {
        return ElectionConfigs.of("ns", "lease", identity);
    }

    static LeaderElectionConfig config(String identity, boolean enabled, boolean releaseOnStop) {
        LeaderElectionConfig usual = config(identity);
        return new LeaderElectionConfig(
                enabled,
                "ns",
                "lease",
                identity,
                usual.leaseDuration(),
                usual.renewDeadline(),
                usual.retryPeriod(),
                releaseOnStop,
                Map.of(),
                null);
    }

    /** One process that competes. */
    final class Contender {

        final String name;
        final LeaseStore.Lock lock;
        final LeaderElector elector;

        /** Whether its timer calls back no more. */
        boolean silent;

        /** What it leaves for the next leader. */
        Map<String, String> notes = Map.of();

        private @Nullable Consumer<ElectionStep.Event> told;
        private long lastDelivery;

        Contender(String name) {
            this(name, config(name));
        }

        Contender(String name, LeaderElectionConfig config) {
            this(name, config, () -> 0.5);
        }

        Contender(String name, LeaderElectionConfig config, DoubleSupplier random) {
            this.name = name;
            this.lock = store.lock(name);
            this.elector = new LeaderElector(
                    config,
                    new ElectionParts(
                            any -> lock,
                            time,
                            (delay, task) -> time.schedule(delay, () -> {
                                if (!silent) {
                                    task.run();
                                }
                            }),
                            meters,
                            threadName -> Runnable::run,
                            random,
                            false,
                            history::doubt));
            contenders.add(this);
        }

        /** From its next start on it is told of changes as they are made. */
        Contender watching() {
            lock.watchable(observer -> told = observer);
            return this;
        }

        /** From its next start on it is told of changes up to 200 ms late, and all in order. */
        Contender watchingLate(Random random) {
            lock.watchable(observer -> told = observer, delivery -> {
                long now = time.nanoTime();
                lastDelivery = Math.max(
                        lastDelivery,
                        now + Duration.ofMillis(random.nextInt(200)).toNanos());
                time.schedule(Duration.ofNanos(lastDelivery - now), delivery);
            });
            return this;
        }

        /** Whom it has told the Lease to report to. */
        Consumer<ElectionStep.Event> observer() {
            return Objects.requireNonNull(told);
        }

        void start() {
            elector.start(new NotingListener(name, notices) {
                @Override
                public void onAcquired() {
                    super.onAcquired();
                    mostAtOnce = Math.max(
                            mostAtOnce,
                            contenders.stream()
                                    .filter(one -> one.elector.isLeading())
                                    .count());
                }

                @Override
                public Map<String, String> handOverNotes() {
                    return notes;
                }
            });
        }
    }
}

package io.controllermanager.leaderelection;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What changes once contenders are told of the Lease's changes at once, in virtual time. */
class LeaseWatchingTest {

    private final VirtualTime time = new VirtualTime();
    private final LeaseStore store = new LeaseStore();
    private final List<String> notices = new ArrayList<>();
    private final List<Contender> all = new ArrayList<>();
    private long mostAtOnce;

    @Test
    void aReleasedLeaseIsTakenWithinMilliseconds() {
        Contender a = new Contender("a", 0.5);
        Contender b = new Contender("b", 0.5);
        a.start();
        b.start();
        time.advance(Duration.ofMillis(500));

        a.elector.stop();
        time.advance(Duration.ofMillis(Election.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void halfOfAllStandbysTryForAReleasedLeaseWithinAnEighthOfTheTime() {
        Contender a = new Contender("a", 0.5);
        Contender b = new Contender("b", 0.5);
        a.start();
        b.start();

        a.elector.stop();
        time.advance(Duration.ofMillis(3));
        assertThat(notices).containsExactly("a acquired", "a lost");
        time.advance(Duration.ofMillis(1));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void ofManyStandbysOnlyTheFirstTriesForAReleasedLease() {
        Contender leader = new Contender("leader", 0.5);
        leader.start();
        for (int i = 0; i < 10; i++) {
            new Contender("standby-" + i, (i + 1) / 11.0).start();
        }
        store.forgetRequests();

        leader.elector.stop();
        time.advance(Duration.ofMillis(Election.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("leader acquired", "leader lost", "standby-0 acquired");
        assertThat(store.requests()).containsExactly("leader:update", "standby-0:update");
    }

    @Test
    void whoWasTooLateForAReleasedLeaseGoesOnPolling() {
        Contender a = new Contender("a", 0.5);
        Contender b = new Contender("b", 0.2);
        Contender c = new Contender("c", 0.8);
        a.start();
        b.start();
        c.start();
        a.elector.stop();
        time.advance(Duration.ofMillis(Election.FREE_SPREAD_MILLIS));
        assertThat(notices).endsWith("b acquired");

        b.lock.failWith("cut off");
        time.advance(Duration.ofSeconds(15 + 3));

        assertThat(notices).endsWith("b acquired", "b lost", "c acquired");
    }

    @Test
    void aReleaseThatHappensDuringAnAttemptIsNotOverlooked() {
        Contender a = new Contender("a", 0.5);
        Contender b = new Contender("b", 0.5);
        a.start();
        // The release comes while b has read the Lease as held and has not acted on it.
        b.lock.beforeAnswer(() -> {
            b.lock.beforeAnswer(() -> {});
            a.elector.stop();
        });
        b.start();
        time.advance(Duration.ofMillis(Election.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void aHolderWhoseLeaseIsEditedAwayStopsAtOnce() {
        Contender a = new Contender("a", 0.5);
        a.start();
        time.advance(Duration.ofSeconds(1));

        store.edit(lease -> spec(lease).setHolderIdentity("intruder"));

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(a.elector.isLeading()).isFalse();
        assertThat(a.elector.status().holder()).isEqualTo("intruder");
    }

    @Test
    void aDeletedLeaseIsMadeAgainByItsHolderAtOnceAndByNobodyElse() {
        Contender a = new Contender("a", 0.5);
        Contender b = new Contender("b", 0.1);
        a.start();
        b.start();
        time.advance(Duration.ofSeconds(1));
        store.forgetRequests();

        store.delete();
        time.advance(Duration.ofMillis(Election.FREE_SPREAD_MILLIS));

        assertThat(spec().getHolderIdentity()).isEqualTo("a");
        assertThat(store.requests()).containsExactly("a:get", "a:create");
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void afterADeletionAStandbyWaitsOutTheWholeDurationFromWhenItSawIt() {
        Contender a = new Contender("a", 0.5);
        Contender b = new Contender("b", 0.5);
        a.start();
        b.start();
        a.lock.failWith("cut off");
        time.advance(Duration.ofSeconds(1));
        store.delete();

        time.advance(Duration.ofMillis(14_999));
        assertThat(notices).containsExactly("a acquired", "a lost");
        time.advance(Duration.ofMillis(102));
        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void aReleasedLeaseThatIsDeletedIsMadeAtOnce() {
        Contender a = new Contender("a", 0.5);
        a.start();
        a.elector.stop();
        Contender b = new Contender("b", 0.5);
        b.lock.beforeAnswer(() -> {
            b.lock.beforeAnswer(() -> {});
            store.delete();
        });
        b.start();
        time.advance(Duration.ofMillis(Election.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void newsThatIsOlderThanWhatWasReadCountsForNothing() {
        Contender a = new Contender("a", 0.5);
        a.start();
        V1Lease old = new V1Lease()
                .metadata(new V1ObjectMeta().name("lease").namespace("ns").resourceVersion("0"))
                .spec(new V1LeaseSpec().holderIdentity("x"));

        a.observer().seen(old);
        a.observer().deleted(old);

        assertThat(a.elector.isLeading()).isTrue();
        assertThat(a.elector.status().holder()).isEqualTo("a");
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void aRenewalThatWasEditedAwayBeforeItsAnswerCameGivesNoLeadership() {
        Contender a = new Contender("a", 0.5);
        a.lock.beforeAnswer(() -> {
            if (store.current() != null) {
                a.lock.beforeAnswer(() -> {});
                store.edit(lease -> spec(lease).setHolderIdentity("intruder"));
            }
        });
        a.start();

        assertThat(a.elector.isLeading()).isFalse();
        assertThat(notices).isEmpty();
    }

    @Test
    void whyTheLeaseIsNotWatchedIsShown() {
        Contender a = new Contender("a", 0.5);
        a.start();
        assertThat(a.elector.status().watchError()).isNull();
        a.observer().interrupted("missing permission: watch");
        assertThat(a.elector.status().watchError()).isEqualTo("missing permission: watch");
        a.observer().interrupted(null);
        assertThat(a.elector.status().watchError()).isNull();
    }

    /** Watches tell late, answers get lost, Leases are deleted; but who starts is told of the holder at once. */
    @Test
    void neverDoTwoLeadWhateverFailsAndWhateverIsToldLate() {
        Random random = new Random(43);
        List<Contender> contenders = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            contenders.add(new Contender(name, random));
        }
        contenders.forEach(Contender::start);
        int led = 0;
        int deleted = 0;
        for (int step = 0; step < 20_000; step++) {
            Contender one = contenders.get(random.nextInt(3));
            switch (random.nextInt(40)) {
                case 0 -> one.lock.failWith("timeout");
                case 1, 2, 3 -> one.lock.failWith(null);
                case 4 -> one.lock.loseAnswers(true);
                case 5, 6, 7 -> one.lock.loseAnswers(false);
                case 8 -> one.elector.retryNow();
                case 9 -> {
                    if (store.current() != null) {
                        one.elector.stop();
                        one.start();
                    }
                }
                case 10 -> {
                    store.delete();
                    deleted++;
                }
                default -> time.advance(Duration.ofMillis(random.nextInt(1500)));
            }
            long leaders = contenders.stream()
                    .filter(contender -> contender.elector.isLeading())
                    .count();
            assertThat(leaders).as("step %d", step).isLessThanOrEqualTo(1);
            led += (int) leaders;
        }
        assertThat(mostAtOnce).isEqualTo(1);
        // Not by leading never.
        assertThat(led).isGreaterThan(5_000);
        assertThat(deleted).isGreaterThan(300);
        assertThat(notices).hasSizeGreaterThan(500);
    }

    private V1LeaseSpec spec() {
        return spec(Objects.requireNonNull(store.current()));
    }

    private static V1LeaseSpec spec(V1Lease lease) {
        return Objects.requireNonNull(lease.getSpec());
    }

    /** One process that competes and watches. */
    private final class Contender {
        private final String name;
        private final LeaseStore.Lock lock;
        private final LeaderElector elector;
        private @Nullable LeaseObserver told;
        private long lastDelivery;

        Contender(String name, double random) {
            this(name, () -> random);
            lock.watchable(observer -> told = observer);
        }

        /** One who is told up to 200 ms late, and all in order. */
        Contender(String name, Random random) {
            this(name, random::nextDouble);
            lock.watchable(observer -> told = observer, delivery -> {
                long now = time.nanoTime();
                lastDelivery = Math.max(
                        lastDelivery,
                        now + Duration.ofMillis(random.nextInt(200)).toNanos());
                time.schedule(Duration.ofNanos(lastDelivery - now), delivery);
            });
        }

        private Contender(String name, DoubleSupplier random) {
            this.name = name;
            this.lock = store.lock(name);
            this.elector = new LeaderElector(
                    LeaderElectionConfig.of("ns", "lease").withIdentity(name),
                    lock,
                    time,
                    time,
                    new SimpleMeterRegistry(),
                    threadName -> Runnable::run,
                    random);
            all.add(this);
        }

        LeaseObserver observer() {
            return Objects.requireNonNull(told);
        }

        void start() {
            elector.start(new LeadershipListener() {
                @Override
                public void onAcquired() {
                    notices.add(name + " acquired");
                    mostAtOnce = Math.max(
                            mostAtOnce,
                            all.stream().filter(one -> one.elector.isLeading()).count());
                }

                @Override
                public void onLost() {
                    notices.add(name + " lost");
                }
            });
        }
    }
}

package io.controllermanager.leaderelection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.WriteFence.WriteRefusedException;
import io.controllermanager.time.Clock;
import io.controllermanager.time.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas that share controllers by a Lease for each, in virtual time. */
class ElectorGroupTest {

    /** The longest time between two looks at who holds what, and the hand-over that may come of one. */
    private static final Duration PERIOD = ElectorGroup.PERIOD.plus(ElectorGroup.PERIOD.dividedBy(5));

    /** When those look whose chances are all even. */
    private static final Duration LOOK = ElectorGroup.PERIOD.plus(ElectorGroup.PERIOD.dividedBy(10));

    private final VirtualTime time = new VirtualTime();
    private final Map<String, LeaseStore> stores = new LinkedHashMap<>();
    private final Map<String, String> working = new TreeMap<>();
    private final List<String> clashes = new ArrayList<>();
    private final List<String> handOvers = new ArrayList<>();

    @AfterEach
    void neverDidTwoWorkForOneController() {
        assertThat(clashes).isEmpty();
    }

    @Test
    void oneReplicaAloneHasAllAtOnce() {
        controllers(20);
        new Replica("a").start();

        assertThat(numbers()).isEqualTo(Map.of("a", 20));
        assertThat(stores.keySet()).contains("manager-c0", "manager-c19");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void theyAreEvenAfterEachArrivalByNoMoreMovesThanAreNeeded(int seed) {
        controllers(5);
        Random random = new Random(seed);
        new Replica("a").random(random::nextDouble).start();
        new Replica("b").random(random::nextDouble).start();
        time.advance(PERIOD.multipliedBy(3));
        assertThat(numbers().values()).containsExactlyInAnyOrder(3, 2);
        assertThat(handOvers).hasSize(2);

        new Replica("c").random(random::nextDouble).start();
        time.advance(PERIOD.multipliedBy(2));
        assertThat(numbers().values()).containsExactlyInAnyOrder(2, 2, 1);
        assertThat(handOvers).hasSize(3);

        time.advance(Duration.ofMinutes(10));
        assertThat(handOvers).as("once they are even nothing moves").hasSize(3);
        assertThat(wishes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatADeadReplicaHeldIsTakenWhenItHasRunOutAndThenEven(int seed) {
        controllers(8);
        Random random = new Random(seed);
        Replica a = new Replica("a").random(random::nextDouble).start();
        new Replica("b").random(random::nextDouble).start();
        new Replica("c").random(random::nextDouble).start();
        time.advance(PERIOD.multipliedBy(6));
        assertThat(numbers().values()).containsExactlyInAnyOrder(3, 3, 2);
        handOvers.clear();

        a.cut("gone");
        time.advance(LeaderElectionConfig.DEFAULT_LEASE_DURATION.plusSeconds(1));
        assertThat(numbers().keySet()).containsExactlyInAnyOrder("b", "c");
        assertThat(working).hasSize(8);
        time.advance(PERIOD.multipliedBy(2));

        assertThat(numbers().values()).containsExactlyInAnyOrder(4, 4);
        assertThat(handOvers.size()).isLessThanOrEqualTo(1);
    }

    @Test
    void withoutTheRightToWatchTheyBecomeEvenAllTheSame() {
        controllers(4);
        new Replica("a").unwatched().start();
        new Replica("b").unwatched().start();
        time.advance(PERIOD.multipliedBy(4));

        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 2));
        assertThat(handOvers).hasSize(2);
    }

    @Test
    void whatIsFreeGoesToThoseWhoHoldFewer() {
        controllers(6);
        // By chance the one who has more would always be faster.
        new Replica("a").random(() -> 0).start();
        Replica b = new Replica("b").random(() -> 0.999).start();
        time.advance(PERIOD.plusMillis(Election.FREE_SPREAD_MILLIS));
        b.group.stop();
        Replica c = new Replica("c").start();
        time.advance(PERIOD);
        c.group.stop();
        assertThat(numbers()).isEqualTo(Map.of("a", 4, "b", 1, "c", 1));

        c.stop();
        time.advance(Duration.ofMillis(2 * Election.FREE_SPREAD_MILLIS));

        assertThat(numbers()).isEqualTo(Map.of("a", 4, "b", 2));
    }

    @Test
    void theWorkEndsInItsOwnTimeBeforeItsLeaseMoves() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(45);
        new Replica("b").start();
        time.advance(LOOK.plusSeconds(44));
        assertThat(handOvers).hasSize(1);
        assertThat(numbers()).as("it is renewed meanwhile").isEqualTo(Map.of("a", 2));

        time.advance(Duration.ofSeconds(2));

        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 1));
        assertThat(handOvers).hasSize(1);
        assertThat(a.notices).endsWith(handOvers.get(0) + " lost");
    }

    @Test
    void oneAtATimeIsGivenAway() {
        controllers(6);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(60);
        new Replica("b").start();
        new Replica("c").start();
        time.advance(PERIOD.plusSeconds(50));
        assertThat(handOvers).hasSize(1);
        assertThat(wishes()).as("the other's wish stands").hasSize(2);

        time.advance(Duration.ofSeconds(15));
        assertThat(handOvers).hasSize(2);
        assertThat(numbers()).containsEntry("a", 5);
        time.advance(Duration.ofMinutes(5));
        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 2, "c", 2));
    }

    @Test
    void whoStopsTakesBackWhatItHasAskedFor() {
        controllers(4);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(20);
        Replica b = new Replica("b").start();
        Replica c = new Replica("c").start();
        time.advance(PERIOD);
        assertThat(wishes()).hasSize(2).containsValues("b", "c");
        c.group.stop();
        assertThat(wishes()).hasSize(1).containsValue("b");

        b.group.elector(handOvers.get(0)).stop();
        assertThat(wishes()).isEmpty();
    }

    @Test
    void aWishWhoseTurnDoesNotComeIsDroppedSoThatNothingMovesToOneThatIsGone() {
        controllers(4);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(40);
        Replica b = new Replica("b").start();
        Replica c = new Replica("c").start();
        time.advance(PERIOD);
        String first = handOvers.get(0);
        assertThat(wishes()).hasSize(2).containsEntry("manager-" + first, "b");
        c.cut("gone");
        b.group.stop();
        a.drain = Duration.ZERO;
        time.advance(Duration.ofMinutes(1));

        assertThat(handOvers).containsExactly(first);
        assertThat(wishes()).isEmpty();
    }

    @Test
    void aLeaseThatIsLostAsItIsAskedForKeepsNoOtherFromMoving() {
        controllers(4);
        Replica a = new Replica("a").start();
        a.whenConsidering = () -> store(wishes().keySet().iterator().next())
                .edit(lease -> Objects.requireNonNull(lease.getSpec()).setHolderIdentity("intruder"));
        new Replica("b").start();
        time.advance(PERIOD);
        assertThat(a.whenConsidering).isNull();
        assertThat(numbers()).isEqualTo(Map.of("a", 3));
        time.advance(Duration.ofMinutes(2));

        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 2));
    }

    @Test
    void aRetryWhileALeaseIsGivenAwayMakesForNoSecondRoundOfAttempts() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        LeaseStore.Lock lock = new LeaseStore().lock("a");
        LeaderElector a = new LeaderElector(
                LeaderElectionConfig.of("ns", "lease").withIdentity("a"),
                lock,
                time,
                time,
                new SimpleMeterRegistry(),
                thread -> tasks::add,
                () -> 0.5);
        a.start(new LeadershipListener() {
            @Override
            public void onAcquired() {}

            @Override
            public void onLost() {}
        });
        run(tasks);
        assertThat(a.isLeading()).isTrue();
        assertThat(time.scheduledTasks()).as("attempt and deadline").isEqualTo(2);
        assertThat(a.resign()).isTrue();
        assertThat(a.resign()).as("once only").isFalse();
        lock.beforeRequest(() -> {
            lock.beforeRequest(() -> {});
            a.retryNow();
        });
        run(tasks);

        assertThat(a.isLeading()).isFalse();
        assertThat(time.scheduledTasks()).isEqualTo(1);
    }

    private static void run(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void whoStandsAsideNeitherAsksNorTakesAndLetsOthersKnowSo() {
        controllers(2);
        Replica a = new Replica("a").start();
        Replica b = new Replica("b");
        b.group.elector("c0").standAside(true);
        b.start();
        time.advance(PERIOD.multipliedBy(2));
        assertThat(working).isEqualTo(Map.of("c0", "a", "c1", "b"));
        a.stop();
        time.advance(Duration.ofMinutes(1));
        assertThat(working).isEqualTo(Map.of("c1", "b"));

        b.group.elector("c0").standAside(false);
        assertThat(working).isEqualTo(Map.of("c0", "b", "c1", "b"));
        b.group.elector("c0").standAside(true);
        time.advance(Duration.ofMinutes(1));
        assertThat(working).as("what it holds it keeps").isEqualTo(Map.of("c0", "b", "c1", "b"));
    }

    @Test
    void whoStandsAsideTakesBackItsWish() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(20);
        Replica b = new Replica("b").start();
        time.advance(PERIOD);
        assertThat(wishes()).containsValue("b");
        handOvers.forEach(controller -> b.group.elector(controller).standAside(true));

        assertThat(wishes()).isEmpty();
    }

    @Test
    void aLeaseThatIsGivenUpIsTakenAtOnceByTheOneWhoAskedForIt() {
        controllers(3);
        new Replica("a").start();
        new Replica("b").random(() -> 0.9).start();
        // Holds nothing as well and would be faster; all look after ten seconds and a part of two that is theirs.
        Replica c = new Replica("c").random(() -> 0.95);
        c.start();
        time.advance(Duration.ofSeconds(11).plusMillis(799));
        assertThat(handOvers).isEmpty();
        time.advance(Duration.ofMillis(1 + Election.FREE_SPREAD_MILLIS));

        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 1));
    }

    @Test
    void ifTheOneWhoAskedIsGoneOthersTakeItAfterASecond() {
        controllers(3);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(5);
        Replica b = new Replica("b").start();
        time.advance(LOOK);
        assertThat(wishes()).hasSize(1).containsValue("b");
        b.cut("gone");
        time.advance(Duration.ofMillis(5_900));
        assertThat(working).hasSize(2);
        time.advance(Duration.ofMillis(200));

        assertThat(numbers()).isEqualTo(Map.of("a", 3));
        assertThat(wishes()).isEmpty();
    }

    @Test
    void aWishThatWouldMakeNothingMoreEvenIsRemoved() {
        controllers(3);
        new Replica("a").start();
        new Replica("b").start();
        time.advance(PERIOD.multipliedBy(2));
        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 1));
        handOvers.clear();
        String lease = "manager-" + heldBy("a");

        store(lease)
                .edit(edited ->
                        Objects.requireNonNull(edited.getMetadata()).putAnnotationsItem(Leases.PREFERRED_HOLDER, "b"));
        time.advance(Duration.ofMillis(1));

        assertThat(wishes()).isEmpty();
        assertThat(handOvers).isEmpty();
        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 1));
    }

    @Test
    void aHolderMayRefuseAndIsAskedForAnother() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.refused = "c0";
        double[] chances = {0, 0, 0.9};
        int[] calls = {0};
        new Replica("b").random(() -> chances[calls[0]++ % chances.length]).start();
        time.advance(Duration.ofMinutes(5));

        assertThat(a.notices).contains("c0 asked");
        assertThat(working).isEqualTo(Map.of("c0", "a", "c1", "b"));
        assertThat(wishes()).isEmpty();
    }

    @Test
    void aWishThatComesWhileTheHolderStopsIsNoReasonToDoAnythingTwice() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofSeconds(60);
        Replica b = new Replica("b").start();
        time.advance(PERIOD.plusSeconds(1));
        assertThat(handOvers).hasSize(1);

        a.stop();
        time.advance(Duration.ofSeconds(2));
        assertThat(numbers()).isEqualTo(Map.of("b", 2));
        time.advance(Duration.ofMinutes(2));

        assertThat(numbers()).isEqualTo(Map.of("b", 2));
        assertThat(a.notices.stream().filter(notice -> notice.endsWith("lost"))).hasSize(2);
        assertThat(b.notices.stream().filter(notice -> notice.endsWith("acquired")))
                .hasSize(2);
    }

    @Test
    void aLeaseThatCannotBeReleasedIsGoneOnWithAndGivenAwayLater() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.onResign = () -> a.cut("timeout");
        new Replica("b").start();
        time.advance(LOOK.plusSeconds(1));
        assertThat(numbers()).isEqualTo(Map.of("a", 1));
        a.onResign = () -> {};
        a.cut(null);
        time.advance(Duration.ofSeconds(8));

        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 1));
        String given = heldBy("b");
        assertThat(a.notices.stream().filter(notice -> notice.startsWith(given)))
                .containsExactly(
                        given + " acquired",
                        given + " asked",
                        given + " lost",
                        given + " acquired",
                        given + " asked",
                        given + " lost");
    }

    @Test
    void aWishChangesNothingOfWhatTheLeaseSays() {
        controllers(2);
        Replica a = new Replica("a").start();
        a.drain = Duration.ofMinutes(5);
        a.cutWhenAsked = true;
        new Replica("b").start();
        Map<String, V1LeaseSpec> before = new TreeMap<>();
        while (wishes().isEmpty()) {
            stores.keySet().forEach(lease -> before.put(lease, spec(lease)));
            assertThat(time.advanceToNextTask()).isTrue();
        }
        String asked = wishes().keySet().iterator().next();

        assertThat(spec(asked)).isEqualTo(before.get(asked));
        // Nor does it count as a renewal: the holder is cut off from now on.
        time.advance(LeaderElectionConfig.DEFAULT_LEASE_DURATION.plusSeconds(1));
        assertThat(numbers()).isEqualTo(Map.of("b", 2));
    }

    @Test
    void whatAHolderLeavesGoesToTheNext() {
        controllers(2);
        new Replica("a").start();
        Replica b = new Replica("b").start();
        time.advance(PERIOD.plusSeconds(1));

        assertThat(b.group.elector(heldBy("b")).inherited()).isEqualTo(Map.of("configmaps", "7 of a"));
    }

    @Test
    void onceStoppedItAsksForNothing() {
        controllers(2);
        new Replica("a").start();
        Replica b = new Replica("b").start();
        b.group.stop();
        time.advance(Duration.ofMinutes(5));
        assertThat(numbers()).isEqualTo(Map.of("a", 2));

        b.group.start();
        time.advance(PERIOD.plusSeconds(1));
        assertThat(numbers()).isEqualTo(Map.of("a", 1, "b", 1));
    }

    @Test
    void whoHoldsSomeLeaseMayWriteOutsideOfAControllersWork() {
        controllers(2);
        Replica a = new Replica("a").start();
        Replica b = new Replica("b").start();

        assertThatCode(a.group.fence()::checkWrite).doesNotThrowAnyException();
        assertThatThrownBy(b.group.fence()::checkWrite)
                .isInstanceOf(WriteRefusedException.class)
                .hasMessage("this process (b) holds none of the Leases ns/manager-…");
        time.advance(PERIOD.plusSeconds(1));
        assertThatCode(b.group.fence()::checkWrite).doesNotThrowAnyException();
        assertThatThrownBy(b.group.elector(heldBy("a"))::checkWrite).isInstanceOf(WriteRefusedException.class);
    }

    @Test
    void thereIsNoLeaseForWhoIsNoController() {
        controllers(1);
        Replica a = new Replica("a");

        assertThatIllegalArgumentException().isThrownBy(() -> a.group.elector("c1"));
    }

    private void controllers(int count) {
        for (int i = 0; i < count; i++) {
            stores.put("manager-c" + i, new LeaseStore("manager-c" + i));
        }
    }

    private LeaseStore store(String lease) {
        return Objects.requireNonNull(stores.get(lease));
    }

    private V1LeaseSpec spec(String lease) {
        return Objects.requireNonNull(
                Objects.requireNonNull(store(lease).current()).getSpec());
    }

    /** How many controllers each replica works for. */
    private Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new TreeMap<>();
        working.values().forEach(replica -> numbers.merge(replica, 1, Integer::sum));
        return numbers;
    }

    private String heldBy(String replica) {
        return working.entrySet().stream()
                .filter(entry -> entry.getValue().equals(replica))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    /** Who has asked for which Lease. */
    private Map<String, String> wishes() {
        Map<String, String> wishes = new TreeMap<>();
        stores.forEach((name, store) -> {
            V1Lease lease = store.current();
            String wish = lease == null ? null : Leases.preferredHolder(lease);
            if (wish != null) {
                wishes.put(name, wish);
            }
        });
        return wishes;
    }

    /** One process; what it works on ends when it is told to, after the time of a drain. */
    private final class Replica {

        private final String name;
        private final List<LeaseStore.Lock> locks = new ArrayList<>();
        private final ElectorGroup group;
        private final List<String> notices = new ArrayList<>();
        private DoubleSupplier random = () -> 0.5;
        private Duration drain = Duration.ZERO;
        private @Nullable String refused;
        private boolean cutWhenAsked;
        private Runnable onResign = () -> {};
        private @Nullable Runnable whenConsidering;

        Replica(String name) {
            this.name = name;
            this.group = new ElectorGroup(
                    LeaderElectionConfig.of("ns", "manager").withIdentity(name),
                    stores.keySet().stream()
                            .map(lease -> lease.substring("manager-".length()))
                            .toList(),
                    config -> {
                        LeaseStore.Lock lock = store(config.leaseName()).lock(name);
                        lock.watchable(observer -> {});
                        locks.add(lock);
                        return lock;
                    },
                    ElectorGroup.PERIOD,
                    new Reading(),
                    time,
                    new SimpleMeterRegistry(),
                    thread -> Runnable::run,
                    () -> random.getAsDouble());
        }

        Replica random(DoubleSupplier newRandom) {
            random = newRandom;
            return this;
        }

        Replica unwatched() {
            locks.forEach(lock -> lock.unwatchable("missing permission: watch"));
            return this;
        }

        Replica start() {
            group.start();
            group.electors().keySet().stream()
                    .sorted()
                    .forEach(controller -> group.elector(controller).start(new Work(controller)));
            return this;
        }

        void stop() {
            group.stop();
            group.electors().values().forEach(LeaderElector::stop);
        }

        /** Nothing that it sends arrives any more; null for the end of that. */
        void cut(@Nullable String message) {
            locks.forEach(lock -> lock.failWith(message));
        }

        /** The time, as it is read; between making a renewal and considering a wish something else may happen. */
        private final class Reading implements Clock {

            private boolean renewing;

            @Override
            public long nanoTime() {
                Runnable meanwhile = whenConsidering;
                if (renewing && meanwhile != null && !wishes().isEmpty()) {
                    whenConsidering = null;
                    meanwhile.run();
                }
                renewing = false;
                return time.nanoTime();
            }

            @Override
            public Instant now() {
                renewing = true;
                return time.now();
            }
        }

        /** What one Lease guards. */
        private final class Work implements LeadershipListener {

            private final String controller;

            Work(String controller) {
                this.controller = controller;
            }

            @Override
            public void onAcquired() {
                notices.add(controller + " acquired");
                String other = working.put(controller, name);
                if (other != null) {
                    clashes.add(controller + ": " + name + " beside " + other);
                }
            }

            @Override
            public void onLost() {
                notices.add(controller + " lost");
                working.remove(controller, name);
            }

            @Override
            public boolean onAsked() {
                notices.add(controller + " asked");
                if (cutWhenAsked) {
                    cut("gone");
                }
                if (controller.equals(refused)) {
                    return false;
                }
                handOvers.add(controller);
                time.schedule(drain, () -> {
                    onResign.run();
                    group.elector(controller).resign();
                });
                return true;
            }

            @Override
            public Map<String, String> legacy() {
                return Map.of("configmaps", "7 of " + name);
            }
        }
    }
}

package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** How a Lease passes from the replica that holds it to the one that has asked for it. */
class LeaseBalanceHandOverTest extends Replicas {

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
        time.advance(LOOK.plusSeconds(50));
        assertThat(handOvers).hasSize(1);
        assertThat(wishes()).as("the other's wish stands").hasSize(2);

        time.advance(Duration.ofSeconds(15));
        assertThat(handOvers).hasSize(2);
        assertThat(numbers()).containsEntry("a", 5);
        time.advance(Duration.ofMinutes(5));
        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 2, "c", 2));
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
                ElectionConfigs.of("ns", "lease", "a"),
                new ElectionParts(
                        any -> lock,
                        time,
                        time,
                        new SimpleMeterRegistry(),
                        thread -> tasks::add,
                        () -> 0.5,
                        false,
                        () -> {}));
        a.start(new NotingListener("a", new ArrayList<>()));
        run(tasks);
        assertThat(a.isLeading()).isTrue();
        assertThat(time.scheduledTasks()).as("the next attempt").isEqualTo(1);
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
    void aLeaseThatIsGivenUpIsTakenAtOnceByTheOneWhoAskedForIt() {
        controllers(3);
        new Replica("a").start();
        new Replica("b").random(() -> 0.5).start();
        // Holds nothing as well and would be faster; all look after a second and a part of 200 ms that is theirs.
        Replica c = new Replica("c").random(() -> 0.95);
        c.start();
        time.advance(Duration.ofMillis(1099));
        assertThat(handOvers).isEmpty();
        time.advance(Duration.ofMillis(1 + ElectionStep.FREE_SPREAD_MILLIS));

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
    void whatAHolderLeavesGoesToTheNext() {
        controllers(2);
        new Replica("a").start();
        Replica b = new Replica("b").start();
        time.advance(PERIOD.plusSeconds(1));

        assertThat(b.balance.elector(heldBy("b")).handOverNotes()).isEqualTo(Map.of("configmaps", "7 of a"));
    }
}

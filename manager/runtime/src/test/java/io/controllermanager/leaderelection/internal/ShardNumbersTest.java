package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.informer.Shards.By;
import io.controllermanager.leaderelection.internal.ShardReplicas.Bug;
import io.controllermanager.leaderelection.internal.ShardReplicas.Replica;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What happens while replicas with different numbers of shards meet. */
class ShardNumbersTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ShardReplicas world = new ShardReplicas(Bug.NONE, new Random(1)::nextDouble);

    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "1, 16", "16, 1", "16, 12", "12, 1"})
    void aRollingChangeOfTheNumberEndsWithTheNewOne(int from, int to) {
        List<Replica> old = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            old.add(world.new Replica("old-" + i, from).start());
        }
        world.time.advance(MINUTE);
        assertThat(world.covered(from)).isTrue();
        for (int i = 0; i < 3; i++) {
            world.new Replica("new-" + i, to).start();
            world.time.advance(Duration.ofSeconds(20));
            old.get(i).stop();
        }
        world.time.advance(MINUTE);

        assertThat(world.covered(to)).isTrue();
        assertThat(world.clashes).isEmpty();
    }

    @Test
    void aRollingChangeOfWhatIsHashedEndsWithTheNewWay() {
        Shards byNamespace = new Shards(16, By.NAMESPACE);
        Shards byUid = new Shards(16, By.UID);
        List<Replica> old = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            old.add(world.new Replica("old-" + i, byNamespace).start());
        }
        world.time.advance(MINUTE);
        assertThat(world.covered(byNamespace)).isTrue();
        // It no longer learns that the anchor says something else, and its Leases run out.
        old.get(2).cut("gone");
        for (int i = 0; i < 3; i++) {
            world.new Replica("new-" + i, byUid).start();
            world.time.advance(Duration.ofSeconds(3));
            old.get(i).stop();
        }
        world.time.advance(MINUTE);

        assertThat(world.covered(byUid)).isTrue();
        assertThat(world.clashes).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "1, 16", "16, 1"})
    void whatAKilledReplicaHeldByTheOldNumberIsWaitedForAndFreed(int from, int to) {
        Replica old = world.new Replica("old", from).start();
        world.time.advance(MINUTE);
        world.new Replica("new", to).start();
        world.time.advance(MINUTE);
        old.kill();
        world.time.advance(Duration.ofSeconds(10));
        assertThat(world.atWork).isEmpty();
        world.time.advance(Duration.ofSeconds(50));

        assertThat(world.covered(to)).isTrue();
        assertThat(world.clashes).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "1, 16", "16, 1"})
    void aCutOffReplicaOfTheOldNumberHasEndedBeforeTheNewOneWorks(int from, int to) {
        Replica old = world.new Replica("old", from).start();
        world.new Replica("new", to).start();
        world.time.advance(MINUTE);
        old.cut("gone");
        world.time.advance(MINUTE);
        assertThat(world.covered(to)).isTrue();
        old.cut(null);
        world.time.advance(MINUTE);

        assertThat(world.covered(to)).isTrue();
        assertThat(world.clashes).isEmpty();
    }

    @Test
    void aDeletedAnchorIsMadeAgainByItsHolderAndNothingMoves() {
        world.new Replica("a", 8).start();
        world.new Replica("b", 16).start();
        world.time.advance(MINUTE);
        world.store("cm").delete();
        world.time.advance(MINUTE);

        assertThat(world.covered(8)).isTrue();
        assertThat(world.clashes).isEmpty();
    }

    @Test
    void aReplicaThatFindsItsOwnNameInTheAnchorSaysItsNumberAnew() {
        world.new Replica("a", 8).start();
        world.time.advance(MINUTE);
        world.atWork.clear();
        world.new Replica("a", 16).start();
        world.time.advance(Duration.ofSeconds(1));

        assertThat(world.store("cm").current())
                .satisfies(lease -> assertThat(Leases.shards(lease)).isEqualTo("foo=16"));
    }

    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "1, 16", "16, 1"})
    void neverDoTwoWorkForAKeyWhateverHappens(int from, int to) {
        for (int seed = 0; seed < 2; seed++) {
            assertThat(overlap(Bug.NONE, seed, from, to)).as("seed %d", seed).isEmpty();
        }
    }

    @Tag("deep")
    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "1, 16", "16, 1", "6, 4"})
    void neverDoTwoWorkForAKeyWhateverHappensForLong(int from, int to) {
        for (int seed = 2; seed < 100; seed++) {
            assertThat(overlap(Bug.NONE, seed, from, to)).as("seed %d", seed).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"LISTS_NOTHING, 8, 16", "LISTS_NOTHING, 16, 1", "BELIEVES_ITSELF, 16, 1"})
    void eachBugIsFound(Bug bug, int from, int to) {
        int seed = 0;
        while (seed < 20 && overlap(bug, seed, from, to).isEmpty()) {
            seed++;
        }

        assertThat(seed).isLessThan(20);
    }

    /** Replicas with both numbers come, stop, die and are cut off; in the end only those with the new one are there. */
    private static List<String> overlap(Bug bug, long seed, int from, int to) {
        Random random = new Random(seed);
        ShardReplicas shards = new ShardReplicas(bug, random::nextDouble);
        List<Replica> replicas = new ArrayList<>();
        for (int step = 0; step < 150; step++) {
            int number = random.nextInt(Math.max(1, replicas.size()));
            Replica one = replicas.isEmpty() ? null : replicas.get(number);
            int choice = random.nextInt(14);
            if (one == null || (choice < 2 && replicas.size() < 6)) {
                Replica added = shards.new Replica("r" + step, random.nextBoolean() ? from : to);
                replicas.add(random.nextInt(4) == 0 ? added.unwatched().start() : added.start());
            } else if (choice == 2) {
                replicas.remove(one);
                one.stop();
            } else if (choice == 3) {
                replicas.remove(one);
                one.kill();
            } else if (choice == 4) {
                one.cut("gone");
            } else if (choice < 8) {
                one.cut(null);
            } else if (choice == 8) {
                one.anchor.resign();
            } else if (choice == 9) {
                one.drain = Duration.ofMillis(random.nextInt(8_000));
            }
            shards.time.advance(Duration.ofMillis(random.nextInt(6_000)));
        }
        replicas.stream().filter(one -> one.shards.count() == from).forEach(Replica::stop);
        replicas.removeIf(one -> one.shards.count() == from);
        replicas.forEach(one -> one.cut(null));
        replicas.add(shards.new Replica("last", to).start());
        shards.time.advance(MINUTE.multipliedBy(5));
        if (bug == Bug.NONE) {
            assertThat(shards.covered(to)).as("seed %d", seed).isTrue();
        }
        return shards.clashes;
    }
}

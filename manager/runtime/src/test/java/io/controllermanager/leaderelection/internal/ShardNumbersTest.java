package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.informer.Shards.By;
import io.controllermanager.leaderelection.internal.ShardReplicas.Bug;
import io.controllermanager.leaderelection.internal.ShardReplicas.Replica;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
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
    @CsvSource({"16, 16", "8, 16", "1, 16", "16, 1"})
    void anUpgradeFromTheVersionBeforeEndsWithTheNewOrderAndTheWayBackWithTheOld(int before, int now) {
        Shards range = new Shards(before, By.NAMESPACE_RANGE);
        List<Replica> old = roll(List.of(), i -> world.before("old-" + i, before));
        assertThat(world.covered(range)).isTrue();
        List<Replica> upgraded = roll(old, i -> world.new Replica("new-" + i, now));
        assertThat(world.covered(now)).isTrue();
        roll(upgraded, i -> world.before("back-" + i, before));

        assertThat(world.covered(range)).isTrue();
        assertThat(world.clashes).isEmpty();
    }

    @Test
    void replicasOfTheVersionBeforeAndThoseByItsRangesShareTheWork() {
        world.before("old", 16).start();
        world.new Replica("new", new Shards(16, By.NAMESPACE_RANGE)).start();
        world.time.advance(MINUTE);

        assertThat(world.covered(new Shards(16, By.NAMESPACE_RANGE))).isTrue();
        assertThat(world.numbers()).isEqualTo(Map.of("old", 8, "new", 8));
        assertThat(world.clashes).isEmpty();
    }

    /** Starts three, each before one of those that are there ends. */
    private List<Replica> roll(List<Replica> there, IntFunction<Replica> made) {
        List<Replica> started = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            started.add(made.apply(i).start());
            world.time.advance(Duration.ofSeconds(20));
            if (i < there.size()) {
                there.get(i).stop();
            }
        }
        world.time.advance(MINUTE);
        return started;
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
                .satisfies(lease -> assertThat(Leases.shards(lease)).isEqualTo("foo=1,foo/mixed=16"));
    }

    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "1, 16", "16, 1"})
    void neverDoTwoWorkForAKeyWhateverHappens(int from, int to) {
        for (int seed = 0; seed < 2; seed++) {
            assertThat(overlap(Bug.NONE, seed, from, to)).as("seed %d", seed).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"16, 16", "1, 16", "16, 1"})
    void neverDoTwoWorkForAKeyBesideTheVersionBefore(int before, int now) {
        assertThat(overlapWithBefore(Bug.NONE, 0, before, now)).isEmpty();
    }

    @Tag("deep")
    @ParameterizedTest
    @CsvSource({"8, 16", "16, 8", "16, 16", "1, 16", "16, 1", "6, 4"})
    void neverDoTwoWorkForAKeyWhateverHappensForLong(int from, int to) {
        for (int seed = 2; seed < 100; seed++) {
            assertThat(overlap(Bug.NONE, seed, from, to)).as("seed %d", seed).isEmpty();
            assertThat(overlapWithBefore(Bug.NONE, seed, from, to))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void aWordThatTheVersionBeforeKeepsIsFound() {
        int seed = 0;
        while (seed < 20
                && overlapWithBefore(Bug.SAYS_WHAT_IS_KEPT, seed, 1, 16).isEmpty()) {
            seed++;
        }

        assertThat(seed).isLessThan(20);
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

    private static List<String> overlap(Bug bug, long seed, int from, int to) {
        return overlap(bug, seed, (shards, name) -> shards.new Replica(name, from), to);
    }

    private static List<String> overlapWithBefore(Bug bug, long seed, int before, int now) {
        return overlap(bug, seed, (shards, name) -> shards.before(name, before), now);
    }

    /** Replicas of both kinds come, stop, die and are cut off; in the end only those with the new number are there. */
    private static List<String> overlap(Bug bug, long seed, BiFunction<ShardReplicas, String, Replica> from, int to) {
        Random random = new Random(seed);
        ShardReplicas shards = new ShardReplicas(bug, random::nextDouble);
        Shards last = new Shards(to, By.NAMESPACE);
        List<Replica> replicas = new ArrayList<>();
        for (int step = 0; step < 150; step++) {
            int number = random.nextInt(Math.max(1, replicas.size()));
            Replica one = replicas.isEmpty() ? null : replicas.get(number);
            int choice = random.nextInt(14);
            if (one == null || (choice < 2 && replicas.size() < 6)) {
                Replica added =
                        random.nextBoolean() ? from.apply(shards, "r" + step) : shards.new Replica("r" + step, last);
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
        replicas.stream().filter(one -> !one.shards.equals(last)).forEach(Replica::stop);
        replicas.removeIf(one -> !one.shards.equals(last));
        replicas.forEach(one -> one.cut(null));
        replicas.add(shards.new Replica("last", last).start());
        shards.time.advance(MINUTE.multipliedBy(5));
        if (bug == Bug.NONE) {
            assertThat(shards.covered(to)).as("seed %d", seed).isTrue();
        }
        return shards.clashes;
    }
}

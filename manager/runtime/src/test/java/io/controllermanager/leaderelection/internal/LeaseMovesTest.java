package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.leaderelection.internal.ShardReplicas.Bug;
import io.controllermanager.leaderelection.internal.ShardReplicas.Replica;
import io.controllermanager.leaderelection.internal.ShardReplicas.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas that work by other Leases than those of before: with one for each controller, or under another name. */
class LeaseMovesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** How long a Lease of one that was killed lasts, until it is seen, and the one of the anchor before. */
    private static final Duration AFTER_A_KILL = Duration.ofSeconds(40);

    private final ShardReplicas world = new ShardReplicas(Bug.NONE, new Random(1)::nextDouble);

    /** Such as {@code b<a own 4}: Lease b, the former one is a, a Lease for each controller, 4 shards. */
    private static Setting setting(String text) {
        String[] words = text.split(" ", -1);
        String[] names = words[0].split("<", -1);
        @Nullable String former = names.length == 1 ? null : names[1];
        int count = words.length == 2 ? 1 : Integer.parseInt(words[2]);
        return new Setting(names[0], former, words[1].equals("own"), new Shards(count, Shards.By.NAMESPACE));
    }

    @ParameterizedTest
    @CsvSource({
        "a shared,     a own",
        "a own,        a shared",
        "a shared 4,   a own 4",
        "a own 4,      a shared",
        "a shared,     a own 4",
        "a shared 4,   a own",
        "a own 4,      a own",
        "a own,        a own 8",
        "a shared,     b<a shared",
        "b shared,     a<b shared",
        "b<a shared,   b shared",
        "b<a shared,   a<b shared",
        "a<b shared,   a shared",
        "a own,        b<a own",
        "b own,        a<b own",
        "b<a own,      a<b own",
        "b<a own,      b own",
        "a shared,     b<a own",
        "b<a own,      a<b shared",
        "b<a own 4,    a<b own 8",
        "a shared 4,   b<a shared 4",
        "b<a shared 4, b shared 8",
        "b<a shared,   c<b shared",
        "a<a shared,   a shared",
    })
    void aRollingUpdateEndsWithTheNewLeases(String before, String after) {
        for (int killed = 0; killed < 4; killed++) {
            ShardReplicas replicas = new ShardReplicas(Bug.NONE, new Random(killed)::nextDouble);
            roll(replicas, setting(before), setting(after), killed);
            assertThat(replicas.clashes)
                    .as("%s to %s, %s killed", before, after, killed)
                    .isEmpty();
        }
    }

    /** The one of the old replicas is killed that has the given number, if there is one. */
    private static void roll(ShardReplicas replicas, Setting before, Setting after, int killed) {
        List<Replica> old = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            old.add(replicas.new Replica("old-" + i, before).start());
        }
        replicas.time.advance(MINUTE);
        assertThat(replicas.covered(before.shards())).as("by the old ones").isTrue();
        for (int i = 0; i < 3; i++) {
            replicas.new Replica("new-" + i, after).start();
            replicas.time.advance(Duration.ofSeconds(5));
            if (i == killed) {
                old.get(i).kill();
            } else {
                old.get(i).stop();
            }
        }
        replicas.time.advance(killed == 3 ? Duration.ofSeconds(2) : AFTER_A_KILL);
        assertThat(replicas.covered(after.shards()))
                .as("by the new ones: " + replicas.atWork)
                .isTrue();
        assertThat(replicas.atWork).allMatch(work -> work.replica().startsWith("new"));
    }

    @Test
    void theSecondLeaseIsHeldByWhoHasTheFirst() {
        Replica old = world.new Replica("old", setting("a shared")).start();
        Replica moved = world.new Replica("new", setting("b<a shared")).start();
        world.time.advance(MINUTE);

        assertThat(moved.anchor.isLeading()).isFalse();
        assertThat(moved.anchor.term()).isNegative();
        assertThat(world.store("b").current()).as("left alone").isNull();
        assertThat(moved.anchor.status().waitsFor()).isEqualTo("ns/a is held by old");
        old.stop();
        world.time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));
        assertThat(world.numbers()).containsOnlyKeys("new");
        assertThat(moved.anchor.status())
                .satisfies(status -> assertThat(status.leading()).isTrue())
                .satisfies(status -> assertThat(status.lease()).isEqualTo("ns/b"))
                .satisfies(status -> assertThat(status.waitsFor()).isNull());
        assertThat(world.store("a").current())
                .satisfies(lease -> assertThat(Leases.holder(lease)).isEqualTo("new"));
        moved.stop();
        for (String lease : List.of("a", "b")) {
            assertThat(world.store(lease).current())
                    .satisfies(left -> assertThat(Leases.holder(left)).isEmpty());
        }
    }

    @Test
    void theFirstLeaseAloneIsNotEnough() {
        world.new Replica("old", setting("b shared")).start();
        Replica moved = world.new Replica("new", setting("a<b shared")).start();
        world.time.advance(MINUTE);

        assertThat(world.store("a").current())
                .satisfies(lease -> assertThat(Leases.holder(lease)).isEqualTo("new"));
        assertThat(moved.anchor.isLeading()).isFalse();
        assertThat(moved.anchor.term()).isNegative();
        assertThat(moved.anchor.status().leading()).isFalse();
        assertThat(moved.anchor.status().waitsFor()).isEqualTo("ns/b is held by old");
        assertThat(world.numbers()).containsOnlyKeys("old");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void theLossOfEitherLeaseEndsTheTermAndBothAreTakenAgain(String lost) {
        Replica moved = world.new Replica("new", setting("b<a shared")).start();
        world.time.advance(MINUTE);
        long term = moved.anchor.term();
        assertThat(term).isPositive();

        world.store(lost).edit(lease -> lease.getSpec().setHolderIdentity("other"));
        world.time.advance(Duration.ofSeconds(5));
        assertThat(moved.anchor.isLeading()).isFalse();
        assertThat(world.atWork).isEmpty();
        world.time.advance(MINUTE);
        assertThat(moved.anchor.term()).isGreaterThan(term);
        assertThat(world.numbers()).containsOnlyKeys("new");
    }

    /** Each takes what it finds in any order of events; by what they have in common two are never at work. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a shared,a own,a shared 4,a own 4",
                "a shared,b<a shared,b<a own,b<a own 4",
                "b<a own,a<b own,a<b shared,b<a shared 4",
                "b<a shared,b own,b own 4,a<b own"
            })
    void whateverHappensTwoAreNeverAtWork(String settings) {
        List<Setting> all = List.of(settings.split(",", -1)).stream()
                .map(LeaseMovesTest::setting)
                .toList();
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            ShardReplicas replicas = new ShardReplicas(Bug.NONE, random::nextDouble);
            List<Replica> running = new ArrayList<>();
            for (int event = 0; event < 60; event++) {
                int which = random.nextInt(6);
                if (running.size() < 2 || (which == 0 && running.size() < 5)) {
                    running.add(replicas.new Replica("r" + event, all.get(random.nextInt(all.size()))).start());
                } else {
                    Replica one = running.get(random.nextInt(running.size()));
                    switch (which) {
                        case 1 -> one.stop();
                        case 2 -> one.kill();
                        case 3 -> one.cut("no route");
                        default -> one.cut(null);
                    }
                    if (which == 1 || which == 2) {
                        running.remove(one);
                    }
                }
                replicas.time.advance(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 500 : 20_000)));
            }
            assertThat(replicas.clashes).as("seed %s", seed).isEmpty();
        }
    }
}

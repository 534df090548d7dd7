package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.leaderelection.internal.ShardReplicas.Bug;
import io.controllermanager.leaderelection.internal.ShardReplicas.Replica;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How replicas share the shards of a controller. */
class ControllerElectorsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** When a process that has just begun looks for its share at the latest. */
    private static final Duration FIRST_LOOK = Duration.ofMillis(1200);

    /** How long after it has got a Lease it looks for the next one at the latest. */
    private static final Duration SOON_LOOK = Duration.ofMillis(250);

    private final ShardReplicas world = new ShardReplicas(Bug.NONE, new Random(1)::nextDouble);

    @Test
    void oneReplicaHoldsAllAndAnotherIsGivenHalfWithinSeconds() {
        Replica a = world.new Replica("a", 16).start();
        world.time.advance(Duration.ofSeconds(1));
        assertThat(world.numbers()).isEqualTo(Map.of("a", 16));
        assertThat(world.stores.keySet()).contains("cm", "cm-foo-0-of-16", "cm-foo-15-of-16");
        assertThat(world.store("cm").current())
                .satisfies(lease -> assertThat(Leases.shards(lease)).isEqualTo("foo=1,foo/mixed=16"));

        Replica b = world.new Replica("b", 16).start();
        Duration each =
                b.fill.plus(a.drain).plusMillis(ElectionStep.FREE_SPREAD_MILLIS).plus(SOON_LOOK);
        world.time.advance(FIRST_LOOK.plus(each.multipliedBy(8)));
        assertThat(world.numbers()).isEqualTo(Map.of("a", 8, "b", 8));
        assertThat(world.moves).isEqualTo(8);
        world.time.advance(MINUTE.multipliedBy(10));
        assertThat(world.moves).as("once they are even nothing moves").isEqualTo(8);
        assertThat(world.clashes).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aJoinOrALeaveMovesAtMostAShare(int seed) {
        ShardReplicas shards = new ShardReplicas(Bug.NONE, new Random(seed)::nextDouble);
        for (String name : List.of("a", "b", "c", "d")) {
            shards.new Replica(name, 16).start();
            shards.time.advance(MINUTE);
        }
        assertThat(shards.numbers().values()).containsExactly(4, 4, 4, 4);
        shards.moves = 0;

        Replica last = shards.new Replica("e", 16).start();
        shards.time.advance(MINUTE);
        assertThat(shards.numbers().values()).containsExactlyInAnyOrder(4, 3, 3, 3, 3);
        assertThat(shards.moves).isEqualTo(3);

        last.stop();
        shards.time.advance(MINUTE);
        assertThat(shards.numbers().values()).containsExactly(4, 4, 4, 4);
        int moves = shards.moves;
        assertThat(moves).isLessThanOrEqualTo(3 + 4);
        shards.time.advance(MINUTE.multipliedBy(10));
        assertThat(shards.moves).isEqualTo(moves);
        assertThat(shards.clashes).isEmpty();
    }

    @Test
    void whoDisagreesTakesNothingAndSaysWhy() {
        world.new Replica("a", 8).start();
        Replica b = world.new Replica("b", 16);
        assertThat(b.electors.agreement().agrees()).isFalse();
        assertThat(b.electors.agreement().disagreement()).isEqualTo("Lease ns/cm has not been read yet");
        assertThat(b.electors.agreement().isContradicted()).isFalse();
        b.start();
        world.time.advance(MINUTE);

        assertThat(world.covered(8)).isTrue();
        assertThat(b.electors.agreement().agrees()).isFalse();
        assertThat(b.electors.agreement().disagreement())
                .isEqualTo(
                        "Lease ns/cm says that foo has 8 shards by namespace, and this process has 16 shards by namespace");
        assertThat(b.electors.agreement().isContradicted()).isTrue();
        LeaseStore anchor = world.stores.get("cm");
        anchor.edit(lease -> lease.getSpec().setHolderIdentity(""));
        assertThat(b.electors.agreement().agrees()).isFalse();
        assertThat(b.electors.agreement().isContradicted())
                .as("nobody holds it")
                .isFalse();
        anchor.edit(lease -> lease.getSpec().setHolderIdentity("a"));
        assertThat(world.stores.entrySet())
                .allMatch(store ->
                        !store.getKey().endsWith("-of-16") || store.getValue().current() == null);
        b.electors.electors().get(3).standAside(true);
        b.electors.electors().get(3).standAside(false);
        assertThat(b.electors.electors().get(3).standsAside()).isTrue();
    }
}

package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Five replicas share sixteen shards: whatever happens, no shard has two, and after it all each has one and shares are even. */
class ShardStatesRandomTest {

    private static final int REPLICAS = 5;
    private static final int SHARDS = 16;
    private static final long EVENTS = 1_000_000;

    /** How long things go wrong before everybody has time to become even. */
    private static final double DISORDER_SECONDS = 600;

    /** Time for the longest suspension, a start, the end of what the dead held, and the moves of a share or two. */
    private static final double CALM_SECONDS = 240;

    @Test
    void neverHasAShardTwoHoldersAndInTheEndTheyAreEven() {
        check(1, EVENTS);
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4, 5, 6, 7, 8, 9})
    void neverHasAShardTwoHoldersInMillionsOfEvents(long seed) {
        check(seed, 4 * EVENTS);
    }

    @ParameterizedTest
    @EnumSource(names = {"TERM_COUNTED_FROM_THE_ANSWER", "TAKEN_AT_THE_RENEW_DEADLINE", "DELETED_LEASE_MADE_AT_ONCE"})
    void eachBugIsFound(ElectionMutant mutant) {
        assertThat(LongStream.range(1, 6)
                        .mapToObj(seed -> new ShardWorld(seed, REPLICAS, SHARDS, mutant))
                        .peek(world -> world.run(4_000, true))
                        .anyMatch(world -> world.violation != null))
                .isTrue();
    }

    private static void check(long seed, long events) {
        ShardWorld world = new ShardWorld(seed, REPLICAS, SHARDS, ElectionMutant.NONE);
        while (world.events < events) {
            world.run(DISORDER_SECONDS, true);
            world.run(CALM_SECONDS, false);
            assertThat(world.violation).isNull();
            List<Integer> shares = world.shares();
            assertThat(shares.stream().mapToInt(Integer::intValue).sum())
                    .as("shards with a holder, after %d events", world.events)
                    .isEqualTo(SHARDS);
            assertThat(Collections.max(shares) - Collections.min(shares))
                    .as("shares %s, in etcd %s, after %d events", shares, world.storedShares(), world.events)
                    .isLessThanOrEqualTo(1);
            int moves = world.moves;
            world.run(60, false);
            assertThat(world.moves).as("once they are even nothing moves").isEqualTo(moves);
        }
        // Not by doing nothing.
        assertThat(world.moves).isGreaterThan((int) (events / 10_000));
        assertThat(world.happened).contains("deleted", "suspended", "killed", "stopped", "answer lost");
    }
}

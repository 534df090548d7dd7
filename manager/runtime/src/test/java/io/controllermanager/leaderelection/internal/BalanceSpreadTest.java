package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.leaderelection.internal.BalanceSpread.Held;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who asks for which Lease, who gives it, and where that ends. */
class BalanceSpreadTest {

    @ParameterizedTest
    @CsvSource({
        // Each letter is a Lease and its holder, "-" one that nobody holds.
        "aa, b, true",
        "aab, b, false",
        "aaab, b, true",
        "aaabb, b, false",
        "aabb, c, true",
        "abb, a, false",
        "abbb, a, true",
        "a, b, false",
        "-----, b, false",
        "a----, b, false",
        "aa---, b, true",
    })
    void oneWhoHasTwoFewerAsks(String holders, String me, boolean asks) {
        assertThat(spread(holders, me).wish(() -> 0.5, any -> true) != null).isEqualTo(asks);
    }

    @Test
    void itAsksForALeaseOfWhoeverHoldsMost() {
        BalanceSpread spread = spread("aabbbc", "d");

        assertThat(spread.wish(() -> 0, any -> true)).isEqualTo("lease-2");
        assertThat(spread.wish(() -> 0.999, any -> true)).isEqualTo("lease-4");
    }

    @Test
    void itAsksForOneAtATime() {
        List<Held> leases = leases("aaaaa");
        leases.set(1, new Held("lease-1", "a", "b"));

        assertThat(new BalanceSpread(leases, "b").wish(() -> 0, any -> true)).isNull();
        assertThat(new BalanceSpread(leases, "c").wish(() -> 0, any -> true)).isEqualTo("lease-0");
        assertThat(new BalanceSpread(leases, "c").wish(() -> 0.25, any -> true)).isEqualTo("lease-2");
    }

    @Test
    void whatIsGivenUpForItAndFreeIsAsGoodAsAskedFor() {
        List<Held> leases = leases("aaa-");
        leases.set(3, new Held("lease-3", "", "b"));

        assertThat(new BalanceSpread(leases, "b").wish(() -> 0, any -> true)).isNull();
    }

    @Test
    void whatOthersHaveAskedForIsNotAskedForAgain() {
        List<Held> leases = List.of(new Held("x", "a", "c"), new Held("y", "a", "d"));

        assertThat(new BalanceSpread(leases, "b").wish(() -> 0, any -> true)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "aa, a, b, true",
        "aab, a, b, false",
        "a, a, b, false",
        "aaabb, a, b, false",
        "aaaabb, a, b, true",
        "aa, a, a, false",
        "bb, a, b, false"
    })
    void aHolderGivesToOneWhoHasTwoFewer(String holders, String me, String asker, boolean gives) {
        assertThat(spread(holders, me).grants(asker)).isEqualTo(gives);
    }

    @ParameterizedTest
    @CsvSource({"aaab, a, 2", "aaab, b, 0", "aaab, c, 0", "aaa, a, 0", "---, a, 0", "aab, a, 1"})
    void theLeadIsCountedFromWhoeverHoldsFewest(String holders, String me, int lead) {
        assertThat(spread(holders, me).lead()).isEqualTo(lead);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void fromAnyStateItEndsEven(int replicas) {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(20);
            List<String> holders = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                holders.add(replica(random.nextInt(replicas)));
            }
            int before = unevenness(holders);

            int moves = evenOut(holders, replicas, random);

            // Each move takes one from n and gives it to n - 2 or less, so that the squares' sum falls by 2 at least.
            assertThat(moves).as("seed %d", seed).isLessThanOrEqualTo((before - unevenness(holders)) / 2);
            assertThat(numbers(holders, replicas))
                    .as("seed %d", seed)
                    .allMatch(number -> number == count / replicas || number == (count + replicas - 1) / replicas);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void oneWhoComesToOthersGetsItsShareAndNothingElseMoves(int others) {
        for (int count = 1; count < 20; count++) {
            List<String> holders = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                holders.add(replica(i % others));
            }

            int moves = evenOut(holders, others + 1, new Random(count));

            assertThat(moves).isEqualTo(count / (others + 1));
        }
    }

    private static int evenOut(List<String> holders, int replicas, Random random) {
        int moves = 0;
        for (Move move = next(holders, replicas, random); move != null; move = next(holders, replicas, random)) {
            holders.set(move.lease(), move.to());
            moves++;
        }
        return moves;
    }

    private record Move(int lease, String to) {}

    /** A move that somebody chosen at random wishes for, and that is granted. */
    private static @Nullable Move next(List<String> holders, int replicas, Random random) {
        List<Held> leases = leases(String.join("", holders));
        int first = random.nextInt(replicas);
        for (int i = 0; i < replicas; i++) {
            String me = replica((first + i) % replicas);
            String wish = new BalanceSpread(leases, me).wish(random::nextDouble, any -> true);
            if (wish != null) {
                int lease = Integer.parseInt(wish.substring("lease-".length()));
                assertThat(new BalanceSpread(leases, holders.get(lease)).grants(me))
                        .isTrue();
                return new Move(lease, me);
            }
        }
        return null;
    }

    private static int unevenness(List<String> holders) {
        return numbers(holders, 5).stream().mapToInt(number -> number * number).sum();
    }

    private static List<Integer> numbers(List<String> holders, int replicas) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            numbers.add(Collections.frequency(holders, replica(i)));
        }
        return numbers;
    }

    private static String replica(int number) {
        return String.valueOf((char) ('a' + number));
    }

    private static BalanceSpread spread(String holders, String me) {
        return new BalanceSpread(leases(holders), me);
    }

    private static List<Held> leases(String holders) {
        List<Held> leases = new ArrayList<>();
        for (char holder : Objects.requireNonNull(holders).toCharArray()) {
            leases.add(new Held("lease-" + leases.size(), holder == '-' ? "" : String.valueOf(holder), null));
        }
        return leases;
    }
}

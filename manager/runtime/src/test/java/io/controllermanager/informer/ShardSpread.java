package io.controllermanager.informer;

import io.controllermanager.informer.Shards.By;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * How evenly names of usual patterns spread over shards, and with these over replicas; beside what chance does. {@code
 * benchmarks/run/shard-spread} prints all of it. Whatever is random begins with the same seed, which nobody has chosen for
 * what comes out.
 *
 * @param shard the names in the fullest shard, over the mean
 * @param ofThree those of the fullest of three replicas, over the mean, in the median of 100 assignments
 * @param ofFour the same of four
 */
record ShardSpread(double shard, double ofThree, double ofFour) {

    static final List<Integer> NAMES = List.of(30, 100, 1000);
    static final List<Integer> SHARDS = List.of(8, 12, 16, 32);

    private static final int ASSIGNMENTS = 100;
    private static final int CHANCES = 500;
    private static final long SEED = 1;

    /** How namespaces are called in the field. */
    enum Pattern {
        TENANT("tenant-1", i -> "tenant-" + (i + 1)),
        TEAM("team-000", "team-%03d"::formatted),
        SHORT("s1", i -> "s" + (i + 1)),
        RANDOM("ws-<uuid>", i -> "ws-" + uuid(i)),
        WORD("customer-<word>-prod", i -> "customer-" + word(i) + "-prod"),
        PREVIEW("pr-1234", i -> "pr-" + (1234 + i));

        private static final String[] SYLLABLES = {"ba", "co", "del", "fi", "gu", "lan", "mo", "ri", "sta", "ve"};

        final String title;
        private final IntFunction<String> name;

        Pattern(String title, IntFunction<String> name) {
            this.title = title;
            this.name = name;
        }

        private static String word(int i) {
            return SYLLABLES[i % 10] + SYLLABLES[i / 10 % 10] + SYLLABLES[i / 100];
        }
    }

    /** One of version 4, as the API server makes them. */
    private static UUID uuid(int i) {
        Random random = new Random(SEED + i);
        return new UUID(
                (random.nextLong() & ~0xf000L) | 0x4000L, (random.nextLong() & 0x3fffffffffffffffL) | Long.MIN_VALUE);
    }

    /** Of the first names of a pattern, as namespaces. */
    static ShardSpread of(Pattern pattern, int names, Shards shards) {
        return of(names, shards.count(), i -> shards.of(pattern.name.apply(i), "", null));
    }

    /** Of objects whose uids the API server has made. */
    static ShardSpread ofUids(int uids, int count) {
        Shards shards = new Shards(count, By.UID);
        return of(uids, count, i -> shards.of(null, "", uuid(i).toString()));
    }

    /** What a share of random sets of names does not exceed. */
    static ShardSpread chance(int names, int count, double share) {
        Random random = new Random(SEED);
        List<ShardSpread> sets = IntStream.range(0, CHANCES)
                .mapToObj(set -> of(names, count, i -> random.nextInt(count)))
                .toList();
        return new ShardSpread(
                quantile(sets, ShardSpread::shard, share),
                quantile(sets, ShardSpread::ofThree, share),
                quantile(sets, ShardSpread::ofFour, share));
    }

    private static double quantile(List<ShardSpread> sets, ToDoubleFunction<ShardSpread> figure, double share) {
        return sets.stream()
                .mapToDouble(figure)
                .sorted()
                .skip((long) Math.ceil(share * sets.size()) - 1)
                .findFirst()
                .orElseThrow();
    }

    private static ShardSpread of(int names, int count, IntFunction<Integer> shardOf) {
        int[] sizes = new int[count];
        for (int i = 0; i < names; i++) {
            sizes[shardOf.apply(i)]++;
        }
        double most = Arrays.stream(sizes).max().orElseThrow();
        return new ShardSpread(most * count / names, replicas(sizes, 3) / names, replicas(sizes, 4) / names);
    }

    /** The fullest replica's names times the replicas, in the median of assignments whose shares differ by one at most. */
    private static double replicas(int[] sizes, int replicas) {
        Random random = new Random(SEED);
        int[] shuffled = sizes.clone();
        double[] fullest = new double[ASSIGNMENTS];
        for (int assignment = 0; assignment < ASSIGNMENTS; assignment++) {
            int[] held = new int[replicas];
            for (int i = shuffled.length - 1; i >= 0; i--) {
                int other = random.nextInt(i + 1);
                int size = shuffled[other];
                shuffled[other] = shuffled[i];
                shuffled[i] = size;
                held[i % replicas] += size;
            }
            fullest[assignment] = Arrays.stream(held).max().orElseThrow() * (double) replicas;
        }
        Arrays.sort(fullest);
        return (fullest[ASSIGNMENTS / 2 - 1] + fullest[ASSIGNMENTS / 2]) / 2;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%5.2f %5.2f %5.2f", shard, ofThree, ofFour);
    }

    /** A row for each order, pattern and number of names; each cell has the fullest shard, of three and of four. */
    static String table() {
        StringBuilder table = new StringBuilder("""
                # names in the fullest shard over the mean, then in the fullest of three and of four replicas over the mean,
                # in the median of 100 assignments of shards whose shares differ by one at most
                """);
        table.append(String.format("%-16s %-21s %5s", "shard-by", "names", "many"));
        SHARDS.forEach(count -> table.append(String.format(" | %10d shards", count)));
        table.append('\n');
        for (By by : List.of(By.NAMESPACE, By.NAMESPACE_RANGE)) {
            for (Pattern pattern : Pattern.values()) {
                rows(table, by.word(), pattern.title, (names, count) -> of(pattern, names, new Shards(count, by)));
            }
        }
        rows(table, By.UID.word(), "version 4", ShardSpread::ofUids);
        rows(table, "chance", "median", (names, count) -> chance(names, count, 0.5));
        rows(table, "chance", "95 of 100", (names, count) -> chance(names, count, 0.95));
        return table.toString();
    }

    /** Gives the figures of so many names in so many shards. */
    interface Cell {
        ShardSpread of(int names, int count);
    }

    private static void rows(StringBuilder table, String by, String title, Cell cell) {
        for (int names : NAMES) {
            table.append(String.format("%-16s %-21s %5d", by, title, names));
            SHARDS.forEach(count -> table.append(" | ").append(cell.of(names, count)));
            table.append('\n');
        }
    }

    /** Prints the table. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] args) {
        System.out.print(table());
    }
}

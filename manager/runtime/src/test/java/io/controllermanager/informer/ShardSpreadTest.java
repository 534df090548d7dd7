package io.controllermanager.informer;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.ShardSpread.Pattern;
import io.controllermanager.informer.Shards.By;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Namespaces spread over shards as evenly as chance does, whatever their names. */
class ShardSpreadTest {

    private static final By DEFAULT = Shards.ONE.by();
    private static final Path PROJECT = Path.of("..", "..");

    @ParameterizedTest
    @EnumSource(Pattern.class)
    void sixteenShardsOfNamespacesAreEvenEnough(Pattern pattern) {
        ShardSpread hundred = ShardSpread.of(pattern, 100, new Shards(16, DEFAULT));
        ShardSpread thousand = ShardSpread.of(pattern, 1000, new Shards(16, DEFAULT));

        assertThat(hundred.shard()).isLessThanOrEqualTo(2.3);
        assertThat(hundred.ofThree()).isLessThanOrEqualTo(1.25);
        assertThat(hundred.ofFour()).isLessThanOrEqualTo(1.25);
        assertThat(thousand.ofThree()).isLessThanOrEqualTo(1.15);
        assertThat(thousand.ofFour()).isLessThanOrEqualTo(1.15);
    }

    @Test
    void anyNumberOfShardsIsAsEvenAsChanceMakesIt() {
        for (int count : ShardSpread.SHARDS) {
            for (int names : ShardSpread.NAMES) {
                ShardSpread most = ShardSpread.chance(names, count, 1);
                for (Pattern pattern : Pattern.values()) {
                    assertNoMore(ShardSpread.of(pattern, names, new Shards(count, DEFAULT)), most, pattern.title);
                }
                assertNoMore(ShardSpread.ofUids(names, count), most, "uids");
            }
        }
    }

    private static void assertNoMore(ShardSpread spread, ShardSpread most, String title) {
        assertThat(spread).as(title).satisfies(each -> {
            assertThat(each.shard()).isLessThanOrEqualTo(most.shard());
            assertThat(each.ofThree()).isLessThanOrEqualTo(most.ofThree());
            assertThat(each.ofFour()).isLessThanOrEqualTo(most.ofFour());
        });
    }

    /** {@code benchmarks/run/shard-spread} writes it. */
    @Test
    void theRecordIsWhatComesOut() {
        assertThat(PROJECT.resolve("benchmarks/results/shard-spread.txt")).hasContent(ShardSpread.table());
    }

    @Test
    void thePageHasTheFiguresOfSixteenShards() {
        List<String> rows = new ArrayList<>();
        for (Pattern pattern : Pattern.values()) {
            rows.add(row(
                    "`" + pattern.title + "`",
                    (names, count) -> ShardSpread.of(pattern, names, new Shards(count, DEFAULT))));
        }
        rows.add(row("chance, half", (names, count) -> ShardSpread.chance(names, count, 0.5)));
        rows.add(row("chance, 95 of 100", (names, count) -> ShardSpread.chance(names, count, 0.95)));

        assertThat(PROJECT.resolve("docs/sharding.md")).content().contains(String.join("\n", rows));
    }

    private static String row(String title, ShardSpread.Cell cell) {
        return ShardSpread.NAMES.stream()
                .map(names -> cell.of(names, 16).toString().strip().replaceAll(" +", " / "))
                .collect(Collectors.joining(" | ", "| " + title + " | ", " |"));
    }

    /** What the API server can filter is no order for names that differ at their ends alone. */
    @Test
    void theRangesOfTheApiServerDoNotSpreadNumberedNames() {
        assertThat(ShardSpread.of(Pattern.TENANT, 100, new Shards(16, By.NAMESPACE_RANGE))
                        .shard())
                .isGreaterThan(14);
    }
}

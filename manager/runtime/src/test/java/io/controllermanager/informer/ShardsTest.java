package io.controllermanager.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.controllermanager.informer.Shards.By;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardsTest {

    private static final Pattern BOUND = Pattern.compile("'0x([0-9a-f]+)'");

    /** The first three are of the hash's authors (isthe.com/chongo/tech/comp/fnv). */
    @ParameterizedTest
    @CsvSource({
        "'', cbf29ce484222325",
        "a, af63dc4c8601ec8c",
        "foobar, 85944171f73967e8",
        // Two bytes in UTF-8, both above 127.
        "é, 0ac21707b7181e01"
    })
    void hashesByFnv1a(String text, String hash) {
        assertThat(Long.toHexString(Shards.hash(text))).isEqualTo(hash.replaceFirst("^0", ""));
    }

    @Test
    void tileTheWholeSpaceWithAnyCount() {
        for (int count = 1; count <= Shards.MOST; count++) {
            Shards shards = new Shards(count, By.UID);
            BigInteger next = BigInteger.ZERO;
            for (int shard = 0; shard < count; shard++) {
                List<BigInteger> bounds = bounds(shards, shard);
                assertThat(bounds).as("bounds of %s of %s", shard, count).hasSize(2);
                assertThat(bounds.get(0)).as("start of %s of %s", shard, count).isEqualTo(next);
                next = bounds.get(1);
                assertThat(shards.of(bounds.get(0).longValue()))
                        .as("shard of the start of %s of %s", shard, count)
                        .isEqualTo(shard);
                assertThat(shards.of(next.subtract(BigInteger.ONE).longValue()))
                        .as("shard of the last hash of %s of %s", shard, count)
                        .isEqualTo(shard);
            }
            assertThat(next).as("end of all %s", count).isEqualTo(BigInteger.ONE.shiftLeft(64));
        }
    }

    private static List<BigInteger> bounds(Shards shards, int shard) {
        String selector = shards.selector(shard);
        assertThat(selector).isNotNull();
        return BOUND.matcher(selector)
                .results()
                .map(bound -> new BigInteger(bound.group(1), 16))
                .toList();
    }

    @Test
    void areEquallyLarge() {
        for (int count = 1; count <= Shards.MOST; count++) {
            Shards shards = new Shards(count, By.UID);
            BigInteger least = BigInteger.ONE.shiftLeft(64).divide(BigInteger.valueOf(count));
            assertThat(IntStream.range(0, count).mapToObj(shard -> {
                        List<BigInteger> bounds = bounds(shards, shard);
                        return bounds.get(1).subtract(bounds.get(0));
                    }))
                    .as("sizes of %s", count)
                    .allMatch(size -> size.equals(least) || size.equals(least.add(BigInteger.ONE)));
        }
    }

    @Test
    void askForTheirObjectsByNamespaceOrUid() {
        assertThat(new Shards(2, By.NAMESPACE_RANGE).selector(1))
                .isEqualTo("shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')");
        assertThat(new Shards(4, By.UID).selector(0))
                .isEqualTo("shardRange(object.metadata.uid, '0x0000000000000000', '0x4000000000000000')");
        assertThat(new Shards(3, By.UID).selector(1))
                .isEqualTo("shardRange(object.metadata.uid, '0x5555555555555556', '0xaaaaaaaaaaaaaaab')");
        assertThat(new Shards(2, By.NAMESPACE).selector(0)).isNull();
        assertThat(new Shards(2, By.NAME).selector(0)).isNull();
    }

    /** With 256 shards, the first byte of the hash is the shard. */
    @Test
    void hashWhatTheyAreBy() {
        assertThat(new Shards(256, By.NAMESPACE_RANGE).of("a", "b", "foobar")).isEqualTo(0xaf);
        // Of no namespace, its name is hashed as a namespace of that name would be.
        assertThat(new Shards(256, By.NAMESPACE).of("a", "b", "foobar"))
                .isEqualTo(new Shards(256, By.NAME).of(null, "a", null));
        assertThat(new Shards(256, By.UID).of("b", "b", "foobar")).isEqualTo(0x85);
        assertThat(new Shards(256, By.UID).of(null, "b", "foobar")).isEqualTo(0x85);
        Shards byName = new Shards(256, By.NAME);
        assertThat(byName.of("a", "b", null)).isNotEqualTo(byName.of(null, "b", null));
        assertThat(byName.of("a", "b", "u")).isEqualTo(byName.of("a", "b", null));
    }

    /** By the bare hash some of sixteen shards would have 300 and others 900. */
    @Test
    void spreadNumberedNamesEvenly() {
        Integer[] sizes = new Integer[16];
        Arrays.fill(sizes, 0);
        for (int i = 0; i < 10_000; i++) {
            sizes[new Shards(16, By.NAME).of("default", "foo-%05d".formatted(i), null)]++;
        }
        assertThat(sizes).allSatisfy(size -> assertThat(size).isBetween(550, 700));
    }

    @Test
    void needWhatTheyAreBy() {
        assertThatNullPointerException()
                .isThrownBy(() -> new Shards(2, By.NAMESPACE).of(null, "a", "u"))
                .withMessage("namespace");
        assertThatNullPointerException()
                .isThrownBy(() -> new Shards(2, By.NAMESPACE_RANGE).of(null, "a", "u"))
                .withMessage("namespace");
        assertThatNullPointerException()
                .isThrownBy(() -> new Shards(2, By.UID).of("a", "a", null))
                .withMessage("uid");
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 257})
    void refuseACountThatMakesNoSense(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Shards(count, By.NAMESPACE))
                .withMessage("shards must be from 1 to 256, but is " + count);
    }

    @Test
    void divideFromTwo() {
        assertThat(Shards.ONE.divide()).isFalse();
        assertThat(new Shards(2, By.NAMESPACE).divide()).isTrue();
        assertThat(Shards.ONE.of("any", "name", null)).isZero();
    }
}

package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a walk comes to which key, in virtual time. */
class SlowWalkTest {

    private static final Duration INTERVAL = Duration.ofHours(10);
    private static final Duration STEP = Duration.ofSeconds(36);
    private static final int KEYS = 100_000;

    private final VirtualTime time = new VirtualTime();

    @Test
    void eachOfManyKeysComesWithinTheIntervalAndTheyAreSpreadEvenly() {
        List<String> keys =
                IntStream.range(0, KEYS).mapToObj(i -> "ns/object-" + i).toList();
        Map<String, Long> last = new HashMap<>();
        keys.forEach(key -> last.put(key, time.nanoTime()));
        List<Integer> counts = new ArrayList<>();
        long[] gaps = {Long.MAX_VALUE, 0};
        SlowWalk walk = walk(INTERVAL, keys, due -> {
            for (String key : due) {
                long gap = time.nanoTime() - last.put(key, time.nanoTime());
                gaps[1] = Math.max(gaps[1], gap);
                if (counts.size() > 1000) {
                    gaps[0] = Math.min(gaps[0], gap);
                }
            }
            counts.add(due.size());
        });
        for (int step = 0; step < 1100; step++) {
            time.advance(STEP);
        }
        walk.close();
        long end = time.nanoTime();
        last.values().forEach(at -> gaps[1] = Math.max(gaps[1], end - at));
        assertThat(Duration.ofNanos(gaps[1])).isLessThanOrEqualTo(INTERVAL);
        assertThat(Duration.ofNanos(gaps[0]))
                .isBetween(INTERVAL.multipliedBy(79).dividedBy(100), INTERVAL);
        // A hundred and eleven on average; the limits are six standard deviations away.
        assertThat(counts).hasSize(1100).allSatisfy(count -> assertThat(count).isBetween(111 - 64, 111 + 64));
    }

    @Test
    void theTimesOfAKeyDifferFromAnothersByMoreThanTheirPlace() {
        List<Duration> a = times("ns/a");
        List<Duration> b = times("ns/b");
        assertThat(a.get(9).minus(a.get(0))).isNotEqualTo(b.get(9).minus(b.get(0)));
    }

    private static List<Duration> times(String key) {
        return IntStream.range(0, 100_000)
                .filter(second -> SlowWalk.isDue(
                        key,
                        Duration.ofSeconds(second).toNanos(),
                        Duration.ofSeconds(second + 1).toNanos(),
                        Duration.ofSeconds(1000).toNanos()))
                .mapToObj(Duration::ofSeconds)
                .toList();
    }

    @Test
    void aStepThatFailsOrIsLateIsMadeUpFor() {
        List<String> keys =
                IntStream.range(0, 1000).mapToObj(i -> "object-" + i).toList();
        List<String> seen = new ArrayList<>();
        boolean[] fails = {true};
        SlowWalk walk = walk(Duration.ofSeconds(10), keys, due -> {
            if (fails[0]) {
                throw new IllegalStateException("no thread");
            }
            seen.addAll(due);
        });
        Duration step = Duration.ofMillis(100);
        for (int i = 0; i < 99; i++) {
            assertThatIllegalStateException().isThrownBy(() -> time.advance(step));
        }
        fails[0] = false;
        time.advance(step);
        assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
        walk.close();
    }

    @Test
    void nothingIsLeftOfOneThatIsClosed() {
        List<String> seen = new ArrayList<>();
        SlowWalk walk = walk(Duration.ofSeconds(1), List.of("a"), seen::addAll);
        time.advance(Duration.ofSeconds(1));
        assertThat(seen).containsOnly("a").isNotEmpty();
        int before = seen.size();
        walk.close();
        assertThat(time.scheduledTasks()).isZero();
        time.advance(Duration.ofHours(1));
        assertThat(seen).hasSize(before);
    }

    private SlowWalk walk(Duration interval, List<String> keys, Consumer<List<String>> look) {
        Set<String> cached = new LinkedHashSet<>(keys);
        return new SlowWalk(interval, time, time, () -> cached, look);
    }
}

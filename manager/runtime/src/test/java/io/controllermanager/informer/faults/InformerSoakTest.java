package io.controllermanager.informer.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The soak's first minute; {@link InformersAtLengthTest} and {@code benchmarks/run/informer-soak} run the long one. */
@Tag("system")
@Isolated("It measures the heap, and counts threads of informers.")
class InformerSoakTest {

    private static final int RECONNECTS = 100;

    /** How many of them there are at a given moment is chance: a request's thread, a connection that is being given up. */
    private static final int CHANCE = 6;

    /** More than requests that are under way hold by chance; a leak of 80 KB a reconnect is found, a smaller one by the soak. */
    private static final long HEAP = 8L * 1024 * 1024;

    @Test
    void reconnectsLeaveNothingBehind() throws InterruptedException {
        try (World world = World.embedded(1, Soak.HISTORY);
                Rig rig = new Rig(world, "soak", false)) {
            await().until(() -> rig.informer().hasSynced());
            // The server's history grows until it is full, and must not be taken for a leak.
            while (world.writers().written() < Soak.HISTORY) {
                world.writers().burst(500, 4);
            }
            Random random = new Random(1);
            Soak.round(rig, random, RECONNECTS / 2);
            Soak.Sample before = Soak.sample(List.of(rig));

            Soak.round(rig, random, RECONNECTS);

            await().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
                Soak.Sample after = Soak.sample(List.of(rig));
                assertThat(after.reconnects() - before.reconnects()).isGreaterThanOrEqualTo(RECONNECTS);
                assertThat(after.handlers()).isEqualTo(2);
                assertThat(after.connections()).isLessThanOrEqualTo(before.connections() + 2);
                assertThat(informerThreads())
                        .as("of the informer and its two handlers")
                        .hasSize(3);
                assertThat(after.heap()).as("live heap").isLessThan(before.heap() + HEAP);
                assertThat(after.sockets()).isLessThanOrEqualTo(before.sockets() + CHANCE);
                assertThat(after.threads())
                        .as(() -> "threads " + threads())
                        .isLessThanOrEqualTo(before.threads() + CHANCE);
            });
            assertThat(rig.status().lists()).isEqualTo(1);
        }
    }

    private static List<String> informerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("informer-"))
                .toList();
    }

    private static Map<String, Long> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .collect(Collectors.groupingBy(
                        thread -> thread.getName().replaceAll("\\d+", "N"), TreeMap::new, Collectors.counting()));
    }
}

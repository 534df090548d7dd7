package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Who comes next when the queue is full of others. */
class CrowdedQueueTest {

    private static final int AGING_INTERVAL = 16;

    private final VirtualTime time = new VirtualTime();

    private record Key(String namespace, int number) {}

    @Test
    void aNamespaceOfTenKeysIsThroughAfterTwentyTakesBesideOneOfAMillion() throws InterruptedException {
        try (WorkQueue<Key> queue = builder().fairness(Key::namespace).build()) {
            for (int i = 0; i < 1_000_000; i++) {
                queue.add(new Key("crowd", i));
            }
            for (int i = 0; i < 10; i++) {
                queue.add(new Key("small", i));
            }

            // Each of the 10 waits for at most one key of each other namespace, of which there is one.
            List<Integer> small = new ArrayList<>();
            for (Key key : take(queue, 10 * 2)) {
                if (key.namespace().equals("small")) {
                    small.add(key.number());
                }
            }
            assertThat(small).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
            assertThat(queue.size()).isEqualTo(1_000_000 - 10);
        }
    }

    @Test
    void manyCrowdsDelayAKeyByOneKeyEach() throws InterruptedException {
        int crowds = 100;
        try (WorkQueue<Key> queue = builder().fairness(Key::namespace).build()) {
            for (int i = 0; i < 100_000; i++) {
                queue.add(new Key("crowd-" + i % crowds, i));
            }
            queue.add(new Key("small", 0));

            assertThat(take(queue, crowds + 1)).contains(new Key("small", 0));
        }
    }

    @Test
    void aLiveKeyIsNextBehindAnInitialListOfAHundredThousand() throws InterruptedException {
        try (WorkQueue<Key> queue = builder().build()) {
            for (int i = 0; i < 100_000; i++) {
                queue.add(new Key("initial", i), WorkQueue.LOW_PRIORITY);
            }
            Map<Integer, Key> expected = new LinkedHashMap<>();
            Map<Integer, Key> taken = new LinkedHashMap<>();
            // The ageing interval counts takes that pass over others, of which there is one here for each live key.
            for (int live = 1; live < AGING_INTERVAL; live++) {
                Key key = new Key("live", live);
                queue.add(key);
                expected.put(live, key);
                taken.put(live, take(queue, 1).get(0));
                assertThat(take(queue, 1).get(0)).isEqualTo(new Key("initial", live - 1));
            }
            assertThat(taken).isEqualTo(expected);

            // The 16th serves the initial list for its age, and the live key comes right after that.
            queue.add(new Key("live", AGING_INTERVAL));
            assertThat(take(queue, 2))
                    .containsExactly(new Key("initial", AGING_INTERVAL - 1), new Key("live", AGING_INTERVAL));
        }
    }

    private WorkQueueBuilder<Key> builder() {
        return WorkQueue.<Key>named("crowded").clock(time).timer(time).agingInterval(AGING_INTERVAL);
    }

    private static List<Key> take(WorkQueue<Key> queue, int count) throws InterruptedException {
        List<Key> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Key key = Objects.requireNonNull(queue.take());
            queue.done(key);
            taken.add(key);
        }
        return taken;
    }
}

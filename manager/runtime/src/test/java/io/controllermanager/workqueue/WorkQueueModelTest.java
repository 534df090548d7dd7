package io.controllermanager.workqueue;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations on the real queue and on {@link ReferenceQueue} in virtual time: after each step both must say the
 * same. The seeds are fixed; {@code -Dworkqueue.seed=N} runs another one. A failure names the seed and the last steps.
 */
class WorkQueueModelTest {

    private static final int STEPS = 150_000;
    private static final int EPISODE = 5_000;
    private static final int KEYS = 40;
    private static final int AGING = 4;
    private static final int[] PRIORITIES = {
        WorkQueue.LOW_PRIORITY, WorkQueue.NORMAL_PRIORITY, WorkQueue.NORMAL_PRIORITY, WorkQueue.HIGH_PRIORITY
    };

    @ParameterizedTest
    @ValueSource(longs = {1, 20260101, 987654321})
    void doesWhatTheModelDoes(long seed) throws InterruptedException {
        run(seed);
    }

    @Test
    void doesWhatTheModelDoesWithASeedOfOnesOwn() throws InterruptedException {
        run(Long.getLong("workqueue.seed", 42));
    }

    private static void run(long seed) throws InterruptedException {
        Random random = new Random(seed);
        Deque<String> history = new ArrayDeque<>();
        for (int step = 0; step < STEPS; step += EPISODE) {
            VirtualTime time = new VirtualTime();
            PriorityWorkQueue<Integer> queue = PriorityWorkQueue.<Integer>named("model")
                    .clock(time)
                    .timer(time)
                    .agingInterval(AGING)
                    .build();
            ReferenceQueue model = new ReferenceQueue(AGING);
            history.clear();
            for (int i = 0; i < EPISODE; i++) {
                String operation;
                try {
                    operation = step(random, time, queue, model);
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed + ", step " + (step + i) + ", after " + history, e);
                }
                history.addLast(operation);
                if (history.size() > 40) {
                    history.removeFirst();
                }
                assertThat(List.of(queue.size(), queue.delayed()))
                        .as("seed %d, step %d, ready and delayed after %s", seed, step + i, history)
                        .containsExactly(model.size(), model.delayed());
                assertThat(time.scheduledTasks())
                        .as("seed %d, step %d, tasks with the timer after %s", seed, step + i, history)
                        .isEqualTo(model.delayed() == 0 ? 0 : 1);
                if (i % 50 == 0) {
                    assertThat(queue.snapshot())
                            .as("seed %d, step %d, snapshot after %s", seed, step + i, history)
                            .isEqualTo(model.snapshot());
                }
            }
            end(random, time, queue, model);
        }
    }

    private static String step(Random random, VirtualTime time, WorkQueue<Integer> queue, ReferenceQueue model)
            throws InterruptedException {
        int key = random.nextInt(KEYS);
        List<Integer> processing = model.processing();
        if (!processing.isEmpty() && random.nextInt(3) == 0) {
            // What a worker adds is mostly what it has.
            key = processing.get(random.nextInt(processing.size()));
        }
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> {
                int priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
                queue.add(key, priority);
                model.add(key, priority);
                return "add " + key + " at " + priority;
            }
            case 4, 5, 6, 7, 8 -> {
                if (model.size() == 0) {
                    return "nothing to take";
                }
                Integer taken = queue.take();
                assertThat(taken).isEqualTo(model.take());
                return "take " + taken;
            }
            case 9, 10, 11, 12 -> {
                queue.done(key);
                model.done(key);
                return "done " + key;
            }
            case 13, 14 -> {
                long nanos = random.nextInt(4) == 0 ? 0 : random.nextInt(2_000_000_000);
                queue.addAfter(key, Duration.ofNanos(nanos));
                model.addAfter(key, nanos);
                return "add " + key + " after " + nanos;
            }
            case 15 -> {
                queue.addRateLimited(key);
                model.addRateLimited(key);
                return "add rate-limited " + key;
            }
            case 16 -> {
                queue.forget(key);
                model.forget(key);
                assertThat(queue.numRequeues(key)).isZero();
                return "forget " + key;
            }
            case 17 -> {
                queue.addAgain(key);
                model.addAgain(key);
                return "add again " + key;
            }
            case 18 -> {
                // Sometimes to the nanosecond of the next delay's end, where early and late are one apart.
                Duration next = time.untilNextTask();
                Duration by = next != null && random.nextBoolean()
                        ? next.minusNanos(random.nextInt(2)).plusNanos(random.nextInt(2))
                        : Duration.ofNanos(random.nextInt(500_000_000));
                by = by.isNegative() ? Duration.ZERO : by;
                time.advance(by);
                model.advance(by);
                return "advance " + by;
            }
            default -> {
                assertThat(queue.numRequeues(key)).isEqualTo(model.numRequeues(key));
                if (random.nextInt(20) != 0) {
                    return "look at " + key;
                }
                queue.retryNow();
                model.retryNow();
                return "retry now";
            }
        }
    }

    /** Half of the queues are drained to the last key, the others dropped. */
    private static void end(Random random, VirtualTime time, PriorityWorkQueue<Integer> queue, ReferenceQueue model)
            throws InterruptedException {
        if (random.nextBoolean()) {
            queue.shutDown();
            assertThat(queue.take()).isNull();
        } else {
            while (model.delayed() > 0
                    || model.size() > 0
                    || !model.processing().isEmpty()) {
                model.processing().forEach(key -> {
                    queue.done(key);
                    model.done(key);
                });
                while (model.size() > 0) {
                    assertThat(queue.take()).isEqualTo(model.take());
                }
                time.advance(Duration.ofSeconds(100));
                model.advance(Duration.ofSeconds(100));
            }
            assertThat(queue.shutDownWithDrain(Duration.ZERO)).isTrue();
        }
        assertThat(queue.size() + queue.delayed()).isZero();
        assertThat(time.scheduledTasks()).isZero();
        queue.close();
    }
}

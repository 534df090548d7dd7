package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Random operations on a queue and on {@link ReferenceQueue} in virtual time: after each step both must say the same.
 * One thread; every number comes from the seed. A failure names the seed, the step and the operations before it.
 */
final class ModelRun {

    static final int AGING = 4;

    private static final int EPISODE = 5_000;
    private static final int KEYS = 40;
    private static final int REMEMBERED = 40;
    private static final int[] PRIORITIES = {
        WorkQueue.LOW_PRIORITY, WorkQueue.NORMAL_PRIORITY, WorkQueue.NORMAL_PRIORITY, WorkQueue.HIGH_PRIORITY
    };

    private final long seed;
    private final Random random;
    private final Function<VirtualTime, WorkQueue<Integer>> queues;
    private final Function<Integer, Object> flows;
    private final Deque<String> history = new ArrayDeque<>();

    private VirtualTime time = new VirtualTime();
    private WorkQueue<Integer> queue;
    private ReferenceQueue model;
    private int step;

    /**
     * Prepares a run.
     *
     * @param queues makes the queue that is tested, with an ageing interval of {@link #AGING}
     * @param flows which flow the model thinks a key is of; all of one where the queue is not fair
     */
    ModelRun(long seed, Function<VirtualTime, WorkQueue<Integer>> queues, Function<Integer, Object> flows) {
        this.seed = seed;
        this.random = new Random(seed);
        this.queues = queues;
        this.flows = flows;
        this.queue = queues.apply(time);
        this.model = new ReferenceQueue(AGING, flows);
    }

    /** Runs so many steps, with a new queue now and then. */
    void run(int steps) {
        try {
            while (step < steps) {
                time = new VirtualTime();
                queue = queues.apply(time);
                model = new ReferenceQueue(AGING, flows);
                history.clear();
                for (int i = 0; i < EPISODE; i++) {
                    step();
                }
                end();
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ", step " + step + ", after " + history + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void step() throws InterruptedException {
        String operation = operation();
        step++;
        history.addLast(operation);
        if (history.size() > REMEMBERED) {
            history.removeFirst();
        }
        compare();
    }

    private void compare() {
        assertThat(List.of(queue.size(), queue.delayed()))
                .as("ready and delayed")
                .containsExactly(model.size(), model.delayed());
        assertThat(time.scheduledTasks()).as("tasks with the timer").isEqualTo(model.delayed() == 0 ? 0 : 1);
        if (step % 50 == 0) {
            assertThat(queue.snapshot()).isEqualTo(model.snapshot());
        }
    }

    private String operation() throws InterruptedException {
        int key = random.nextInt(KEYS);
        List<Integer> processing = model.processing();
        if (!processing.isEmpty() && random.nextInt(3) == 0) {
            // What a worker adds is mostly what it has.
            key = processing.get(random.nextInt(processing.size()));
        }
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> {
                int priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
                queue.add(key, priority);
                model.add(key, priority);
                yield "add " + key + " at " + priority;
            }
            case 4, 5, 6, 7, 8 -> model.size() == 0 ? "nothing to take" : "take " + take();
            case 9, 10, 11, 12 -> done(key);
            case 13, 14 -> {
                long nanos = random.nextInt(4) == 0 ? 0 : random.nextInt(2_000_000_000);
                queue.addAfter(key, Duration.ofNanos(nanos));
                model.addAfter(key, nanos);
                yield "add " + key + " after " + nanos;
            }
            case 15 -> {
                queue.addRateLimited(key);
                model.addRateLimited(key);
                yield "add rate-limited " + key;
            }
            case 16 -> {
                queue.forget(key);
                model.forget(key);
                assertThat(queue.snapshot().retries()).doesNotContainKey(key);
                yield "forget " + key;
            }
            case 17 -> {
                queue.addAgain(key);
                model.addAgain(key);
                yield "add again " + key;
            }
            case 18 -> {
                // Sometimes to the nanosecond of the next delay's end, where early and late are one apart.
                Duration next = time.untilNextTask();
                Duration by = next != null && random.nextBoolean()
                        ? next.minusNanos(random.nextInt(2)).plusNanos(random.nextInt(2))
                        : Duration.ofNanos(random.nextInt(500_000_000));
                yield advance(by.isNegative() ? Duration.ZERO : by);
            }
            default -> {
                assertThat(queue.snapshot()).isEqualTo(model.snapshot());
                int rare = random.nextInt(20);
                if (rare < 5) {
                    queue.renew(key);
                    model.renew(key);
                    yield "renew " + key;
                }
                if (rare != 19) {
                    yield "look at " + key;
                }
                queue.retryNow();
                model.retryNow();
                yield "retry now";
            }
        };
    }

    private @Nullable Integer take() throws InterruptedException {
        Integer taken = queue.take();
        assertThat(taken).as("the key that was taken").isEqualTo(model.take());
        return taken;
    }

    private String done(int key) {
        queue.done(key);
        model.done(key);
        return "done " + key;
    }

    private String advance(Duration by) {
        time.advance(by);
        model.advance(by);
        return "advance " + by;
    }

    /** One queue after the other is shut down, worked off or closed. */
    private void end() throws InterruptedException {
        switch (random.nextInt(3)) {
            case 0 -> {
                queue.shutDown();
                model.shutDown();
                assertThat(queue.isShuttingDown()).isTrue();
                for (int i = 0; i < 100; i++) {
                    step();
                }
                finish();
                assertThat(queue.take()).isNull();
            }
            case 1 -> {
                while (model.delayed() > 0) {
                    finish();
                    advance(Duration.ofSeconds(100));
                }
                finish();
            }
            default -> {
                queue.close();
                assertThat(queue.take()).isNull();
                new ArrayList<>(model.processing()).forEach(queue::done);
            }
        }
        assertThat(queue.size() + queue.delayed()).isZero();
        assertThat(queue.snapshot().processing()).isEmpty();
        assertThat(time.scheduledTasks()).isZero();
        queue.close();
    }

    /** Takes and finishes every key there is. */
    private void finish() throws InterruptedException {
        while (model.size() > 0 || !model.processing().isEmpty()) {
            model.processing().forEach(this::done);
            compare();
            while (model.size() > 0) {
                take();
            }
        }
    }
}

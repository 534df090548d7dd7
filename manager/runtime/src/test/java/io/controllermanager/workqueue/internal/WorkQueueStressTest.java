package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real queue with real threads and real time; client-go's TestBasic and TestAddWhileProcessing among it. */
class WorkQueueStressTest {

    private static final int PRODUCERS = 8;
    private static final int WORKERS = 8;
    private static final int KEYS = 300;
    private static final int ADDS = 50_000;

    /**
     * Every add is followed by a time at which a worker takes the key; no key is with two workers; workers add keys
     * again themselves, at once, delayed and rate-limited, and are interrupted all the time.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void losesNothingAndGivesNoKeyToTwo(boolean measuredAndFair) throws Exception {
        AtomicLongArray added = new AtomicLongArray(KEYS);
        AtomicLongArray seen = new AtomicLongArray(KEYS);
        AtomicIntegerArray holders = new AtomicIntegerArray(KEYS);
        AtomicLong taken = new AtomicLong();
        AtomicLong violations = new AtomicLong();
        AtomicLong interrupted = new AtomicLong();
        AtomicReferenceArray<@Nullable Thread> takers = new AtomicReferenceArray<>(WORKERS);
        try (SystemTimer timer = new SystemTimer("stress-timer");
                WorkQueue<Integer> queue = stressed(timer, measuredAndFair)) {
            ExecutorService threads = Executors.newCachedThreadPool();
            List<Future<?>> producers = new ArrayList<>();
            for (int p = 0; p < PRODUCERS; p++) {
                Random random = new Random(p);
                producers.add(threads.submit(() -> {
                    for (int i = 0; i < ADDS; i++) {
                        int key = random.nextInt(KEYS);
                        added.incrementAndGet(key);
                        switch (random.nextInt(8)) {
                            case 0 -> queue.addAfter(key, Duration.ofNanos(random.nextInt(3_000_000)));
                            case 1 -> queue.add(key, WorkQueue.LOW_PRIORITY);
                            default -> queue.add(key);
                        }
                    }
                }));
            }
            List<Future<?>> workers = new ArrayList<>();
            for (int w = 0; w < WORKERS; w++) {
                int worker = w;
                Random random = new Random(1000 + w);
                workers.add(threads.submit((Callable<Void>) () -> {
                    takers.set(worker, Thread.currentThread());
                    while (true) {
                        Integer key;
                        try {
                            key = queue.take();
                        } catch (InterruptedException e) {
                            interrupted.incrementAndGet();
                            continue;
                        }
                        if (key == null) {
                            return null;
                        }
                        if (holders.incrementAndGet(key) != 1) {
                            violations.incrementAndGet();
                        }
                        // All that was added up to here is covered by this reconcile.
                        seen.set(key, added.get(key));
                        taken.incrementAndGet();
                        switch (random.nextInt(10)) {
                            case 0 -> queue.addRateLimited(key);
                            case 1 -> queue.addAfter(key, Duration.ofMillis(1));
                            default -> queue.forget(key);
                        }
                        holders.decrementAndGet(key);
                        queue.done(key);
                    }
                }));
            }
            Random whom = new Random(2000);
            for (Future<?> producer : producers) {
                while (!producer.isDone()) {
                    Thread taker = takers.get(whom.nextInt(WORKERS));
                    if (taker != null) {
                        taker.interrupt();
                    }
                    Thread.onSpinWait();
                }
                producer.get();
            }
            // The producers may have ended before a worker was met while it waited.
            await().until(() -> {
                Thread taker = takers.get(0);
                if (taker != null) {
                    taker.interrupt();
                }
                return interrupted.get() > 0;
            });
            // Keys are retried at random until they are forgotten; in the end nothing is left.
            await().until(() -> idle(queue));
            for (int key = 0; key < KEYS; key++) {
                assertThat(seen.get(key))
                        .as("adds of key %d that a worker saw", key)
                        .isEqualTo(added.get(key));
            }
            assertThat(violations.get()).isZero();
            assertThat(taken.get()).isPositive();
            queue.shutDown();
            for (Future<?> worker : workers) {
                Waiting.on(worker);
            }
            threads.shutdown();
        }
    }

    private static WorkQueue<Integer> stressed(Timer timer, boolean measuredAndFair) {
        WorkQueueBuilder<Integer> builder = WorkQueue.<Integer>named("stress").timer(timer);
        return (measuredAndFair
                        ? builder.meterRegistry(new SimpleMeterRegistry()).fairness(key -> key % 7)
                        : builder)
                .build();
    }

    private static boolean idle(WorkQueue<Integer> queue) {
        if (queue.size() > 0 || queue.delayed() > 0) {
            return false;
        }
        QueueSnapshot<Integer> snapshot = queue.snapshot();
        return snapshot.processing().isEmpty()
                && snapshot.depthByPriority().isEmpty()
                && snapshot.delayed().isEmpty();
    }

    /** All threads that are started in a group's thread are of that group: no others can be counted by mistake. */
    @Test
    void oneTimersThreadServesTheDelaysOfManyQueues() throws Exception {
        ThreadGroup group = new ThreadGroup("many-queues");
        List<String> threads = new ArrayList<>();
        FutureTask<Void> task = new FutureTask<>(() -> {
            try (SystemTimer timer = new SystemTimer("many-queues-timer")) {
                List<WorkQueue<String>> queues = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    WorkQueue<String> queue =
                            WorkQueue.<String>named("queue-" + i).timer(timer).build();
                    queue.addAfter("soon", Duration.ofMillis(1 + i % 20));
                    queue.addAfter("late", Duration.ofHours(1));
                    queues.add(queue);
                }
                for (WorkQueue<String> queue : queues) {
                    assertThat(queue.take()).isEqualTo("soon");
                }
                Thread[] living = new Thread[100];
                int count = group.enumerate(living);
                for (int i = 0; i < count; i++) {
                    threads.add(living[i].getName());
                }
                queues.forEach(WorkQueue::close);
            }
            return null;
        });
        new Thread(group, task, "many-queues-test").start();
        Waiting.on(task);
        assertThat(threads).containsExactlyInAnyOrder("many-queues-test", "many-queues-timer");
    }

    @Test
    void deliversEveryDelayedKeyAndNoneEarly() throws Exception {
        int keys = 100_000;
        Clock clock = Clock.system();
        AtomicLongArray due = new AtomicLongArray(keys);
        long early = 0;
        int[] deliveries = new int[keys];
        try (SystemTimer timer = new SystemTimer("stress-timer");
                WorkQueue<Integer> queue =
                        WorkQueue.<Integer>named("delays").timer(timer).build()) {
            ExecutorService threads = Executors.newCachedThreadPool();
            List<Future<?>> adders = new ArrayList<>();
            for (int p = 0; p < PRODUCERS; p++) {
                int producer = p;
                Random random = new Random(p);
                adders.add(threads.submit(() -> {
                    for (int key = producer; key < keys; key += PRODUCERS) {
                        long delay = random.nextInt(1_000_000_000);
                        due.set(key, clock.nanoTime() + delay);
                        queue.addAfter(key, Duration.ofNanos(delay));
                    }
                }));
            }
            for (int i = 0; i < keys; i++) {
                int key = Objects.requireNonNull(queue.take());
                if (clock.nanoTime() - due.get(key) < 0) {
                    early++;
                }
                deliveries[key]++;
                queue.done(key);
            }
            for (Future<?> adder : adders) {
                Waiting.on(adder);
            }
            threads.shutdown();
            assertThat(early).isZero();
            for (int key = 0; key < keys; key++) {
                assertThat(deliveries[key]).isEqualTo(1);
            }
            assertThat(queue.size() + queue.delayed()).isZero();
        }
    }
}

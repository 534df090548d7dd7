package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The test cases of controller-runtime 0.25's {@code pkg/controller/priorityqueue}, re-expressed for ours; each is named
 * after the Go test that it re-expresses. Ours serves now and then a key of low priority for its age; here that is as
 * rare as can be, so that the cases say what they say there. Ours differs where the interface of {@link WorkQueue} does:
 *
 * <ul>
 *   <li>it has no delay and priority in one call: what a case delays at a priority is added by a worker that has the key
 *       at that priority, as controllers do
 *   <li>a delay is independent of the key's being ready, as in client-go: in "retains the lowest after duration", "updates
 *       metrics correctly for an item that gets initially added with after and then without" and the other cases that
 *       add a delayed key at once, it is ready at once and comes again when its delay has passed
 *   <li>a key that is added while it is processed becomes ready, and counts in size and depth, when the worker is done, as
 *       in client-go; controller-runtime counts it at once
 *   <li>{@code shutDown} lets keys be taken that are ready, as in client-go; what theirs does is {@code close} here
 * </ul>
 *
 * Left out is what tests their b-tree and their channels only: the validators of {@code newQueue}. Of
 * TestFuzzPriorityQueue the comparison with a model is {@link WorkQueueModelTest}, the rest is here.
 */
class ControllerRuntimeCasesTest {

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WorkQueue<String> queue = WorkQueue.<String>named("test")
            .clock(time)
            .timer(time)
            .meterRegistry(registry)
            .agingInterval(Integer.MAX_VALUE)
            .build();
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        queue.close();
        others.shutdownNow();
    }

    @Test
    @DisplayName("returns an item")
    void returnsAKey() throws InterruptedException {
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(1);
        assertThat(retries()).isZero();
    }

    @Test
    @DisplayName("returns items in order")
    void returnsKeysInOrder() throws InterruptedException {
        queue.add("foo");
        queue.add("bar");
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.take()).isEqualTo("bar");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(2);
    }

    @Test
    @DisplayName("doesn't return an item that is currently locked")
    void keepsAKeyFromASecondWorker() throws InterruptedException {
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.add("foo");
        queue.add("bar");
        assertThat(queue.take()).isEqualTo("bar");
        assertThat(queue.size()).isZero();
        assertThat(adds()).isEqualTo(3);
    }

    @Test
    @DisplayName("returns an item as soon as its unlocked")
    void returnsAKeyOnceItIsDone() throws InterruptedException {
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.add("foo");
        queue.add("bar");
        assertThat(queue.take()).isEqualTo("bar");
        queue.done("foo");
        queue.add("baz");
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(depth(0)).isEqualTo(1);
        assertThat(adds()).isEqualTo(4);
    }

    @Test
    @DisplayName("de-duplicates items")
    void makesOneOfTwoAdds() {
        queue.add("foo");
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.snapshot().processing()).isEmpty();
        assertThat(depth(0)).isEqualTo(1);
        assertThat(adds()).isEqualTo(1);
    }

    @Test
    @DisplayName("enqueues a locked item")
    void queuesAKeyThatIsProcessed() throws InterruptedException {
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        queue.add("foo");
        queue.done("foo");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(2);
    }

    @Test
    @DisplayName("retains the highest priority")
    void raisesAPriority() throws InterruptedException {
        queue.add("foo", 1);
        queue.add("foo", 2);
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(2, 1));
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.size()).isZero();
        assertThat(depth(1) + depth(2)).isZero();
        assertThat(adds()).isEqualTo(1);
    }

    @Test
    @DisplayName("will not decrease the priority")
    void doesNotLowerAPriority() throws InterruptedException {
        queue.add("foo", 2);
        queue.add("foo", 1);
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(2, 1));
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.size()).isZero();
        assertThat(adds()).isEqualTo(1);
    }

    @Test
    @DisplayName("gets pushed to the front if the priority increases")
    void goesBeforeTheOthersOnceRaised() throws InterruptedException {
        queue.add("foo");
        queue.add("bar");
        queue.add("baz");
        queue.add("baz", 1);
        assertThat(queue.take()).isEqualTo("baz");
        assertThat(queue.size()).isEqualTo(2);
        assertThat(depth(0)).isEqualTo(2);
        assertThat(depth(1)).isZero();
        assertThat(adds()).isEqualTo(3);
    }

    @Test
    @DisplayName("retains the lowest after duration")
    void isReadyAtOnceIfOneAddSaysSo() throws InterruptedException {
        queue.addAfter("foo", Duration.ZERO);
        queue.addAfter("foo", Duration.ofHours(1));
        assertThat(queue.take()).isEqualTo("foo");
        queue.done("foo");
        assertThat(queue.size()).isZero();
        assertThat(adds()).isEqualTo(1);
        time.advance(Duration.ofHours(1));
        assertThat(queue.size()).as("its delay has passed as well").isEqualTo(1);
    }

    @Test
    @DisplayName("doesn't include non-ready items in Len()")
    void doesNotCountDelayedKeys() {
        queue.addAfter("foo", Duration.ofMinutes(1));
        queue.add("baz");
        queue.addAfter("bar", Duration.ofMinutes(1));
        queue.add("bal");
        assertThat(queue.size()).isEqualTo(2);
        assertThat(depth(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("Get from priority queue might get stuck when the priority queue is shut down")
    void givesNothingOnceClosed() throws InterruptedException {
        queue.add("baz");
        queue.close();
        queue.addAfter("foo", Duration.ofSeconds(1));
        assertThat(queue.take()).isNull();
        assertThat(queue.take()).isNull();
    }

    @Test
    @DisplayName("returns many items")
    void returnsManyKeys() throws Exception {
        try (SystemTimer timer = new SystemTimer("timer");
                WorkQueue<String> real =
                        WorkQueue.<String>named("real").timer(timer).build()) {
            Random random = new Random(1);
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 1000; i++) {
                    int number = random.nextInt(100);
                    if (number < 10) {
                        real.addAfter("foo" + i, Duration.ofMillis(number));
                    } else {
                        real.add("foo" + i, number);
                    }
                }
                List<Future<?>> takers = new ArrayList<>();
                for (int t = 0; t < 100; t++) {
                    takers.add(others.submit((Callable<Void>) () -> {
                        for (int i = 0; i < 10; i++) {
                            real.done(Objects.requireNonNull(real.take()));
                        }
                        return null;
                    }));
                }
                for (Future<?> taker : takers) {
                    Waiting.on(taker);
                }
            }
            await().until(() -> real.delayed() == 0);
        }
    }

    @Test
    @DisplayName("updates metrics correctly for an item that gets initially added with after and then without")
    void measuresAKeyThatIsDelayedThenAdded() throws InterruptedException {
        queue.addAfter("foo", Duration.ofHours(1));
        assertThat(queue.size()).isZero();
        assertThat(depth(0)).isZero();
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(depth(0)).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.size()).isZero();
        assertThat(depth(0)).isZero();
    }

    @Test
    @DisplayName("updates metrics correctly when an item with after is re-added with higher priority and no after")
    void measuresAKeyThatIsDelayedThenAddedHigher() throws InterruptedException {
        queue.addAfter("foo", Duration.ofHours(1));
        assertThat(depth(0)).isZero();
        queue.add("foo", 1);
        assertThat(queue.size()).isEqualTo(1);
        assertThat(depth(0)).isZero();
        assertThat(depth(1)).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.size()).isZero();
        assertThat(depth(0) + depth(1)).isZero();
    }

    @Test
    @DisplayName("follows FIFO order in the new priority queue when item priority changes")
    void standsAtTheEndOfItsNewPriority() throws InterruptedException {
        queue.add("foo", 0);
        queue.add("bar", 1);
        queue.add("foo", 1);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.take()).isEqualTo("bar");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.size()).isZero();
    }

    @Test
    @DisplayName("TestFuzzPriorityQueue")
    void handsNoKeyOutTwice() throws Exception {
        try (SystemTimer timer = new SystemTimer("timer");
                WorkQueue<String> real =
                        WorkQueue.<String>named("real").timer(timer).build()) {
            Set<String> handedOut = ConcurrentHashMap.newKeySet();
            Set<String> twice = ConcurrentHashMap.newKeySet();
            List<Future<?>> producers = new ArrayList<>();
            for (int p = 0; p < 10; p++) {
                Random random = new Random(p);
                producers.add(others.submit(() -> {
                    for (int i = 0; i < 1000; i++) {
                        String key = "key " + random.nextInt(500);
                        if (random.nextBoolean()) {
                            real.addAfter(key, Duration.ofMillis(random.nextInt(20) - 5));
                        } else {
                            real.add(key, random.nextInt());
                        }
                    }
                }));
            }
            List<Future<?>> workers = new ArrayList<>();
            for (int w = 0; w < 100; w++) {
                workers.add(others.submit((Callable<Void>) () -> {
                    for (String key = real.take(); key != null; key = real.take()) {
                        if (!handedOut.add(key)) {
                            twice.add(key);
                        }
                        handedOut.remove(key);
                        real.done(key);
                    }
                    return null;
                }));
            }
            for (Future<?> producer : producers) {
                Waiting.on(producer);
            }
            await().until(() -> real.delayed() == 0);
            real.shutDown();
            for (Future<?> worker : workers) {
                Waiting.on(worker);
            }
            assertThat(twice).isEmpty();
            assertThat(real.size()).isZero();
        }
    }

    @ParameterizedTest(name = "TestHighPriorityItemsAreReturnedBeforeLowPriorityItemMultipleTimes, after {0} ms")
    @ValueSource(ints = {-1000, 0, 1000})
    void takesHigherPrioritiesFirst(int after) throws InterruptedException {
        int perPriority = 1000;
        int[] priorities = {-10, -5, 0, 5, 10};
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < perPriority; i++) {
            for (int priority : priorities) {
                String key = priority + " " + i;
                keys.add(key);
                queue.add(key, priority);
            }
        }
        // A delayed key keeps the priority it was taken with.
        for (int i = 0; i < keys.size(); i++) {
            queue.take();
        }
        for (String key : keys) {
            queue.addAfter(key, Duration.ofMillis(after));
            queue.done(key);
        }
        if (after > 0) {
            assertThat(queue.size()).isZero();
            time.advance(Duration.ofMillis(after));
        }
        for (int priority : new int[] {10, 5, 0, -5, -10}) {
            for (int i = 0; i < perPriority; i++) {
                assertThat(queue.take()).isEqualTo(priority + " " + i);
            }
            assertThat(depth(priority)).isZero();
        }
        assertThat(retries()).isEqualTo(keys.size());
        assertThat(queue.snapshot().depthByPriority()).isEmpty();
    }

    @Test
    @DisplayName("TestItemIsOnlyReturnedAfterAfterHasPassed")
    void returnsAKeyOnlyWhenItsDelayHasPassed() throws Exception {
        Future<String> taker = others.submit(queue::take);
        queue.addAfter("foo", Duration.ofSeconds(1));
        assertThat(time.scheduledDelays()).containsExactly(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1).minusNanos(1));
        assertThat(taker.isDone()).isFalse();
        time.advance(Duration.ofNanos(1));
        assertThat(Waiting.on(taker)).isEqualTo("foo");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(1);
        assertThat(retries()).isEqualTo(1);
    }

    @Test
    @DisplayName("TestHighPriorityItemThatBecameReadyIsReturnedBeforeLowPriorityItem")
    void returnsADelayedKeyBeforeOneOfLowerPriority() throws InterruptedException {
        queue.add("foo", WorkQueue.LOW_PRIORITY);
        queue.addAfter("prio", Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        assertThat(queue.take()).isEqualTo("prio");
        assertThat(depth(WorkQueue.LOW_PRIORITY)).isEqualTo(1);
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(2);
        assertThat(retries()).isEqualTo(1);
    }

    @Test
    @DisplayName("TestItemIsReturnedAsSoonAsPossible")
    void wakesATakerThatWaits() throws Exception {
        Future<String> taker = others.submit(queue::take);
        queue.add("foo");
        assertThat(Waiting.on(taker)).isEqualTo("foo");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(1);
    }

    @Test
    @DisplayName("TestWaitingItemIsReturnedRightAfterReadWithoutAfter")
    void returnsADelayedKeyOnceItIsAddedWithoutDelay() throws Exception {
        Future<String> taker = others.submit(queue::take);
        queue.addAfter("foo", Duration.ofMinutes(1));
        assertThat(taker.isDone()).isFalse();
        queue.add("foo");
        assertThat(Waiting.on(taker)).isEqualTo("foo");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(1);
    }

    @Test
    @DisplayName("TestMultipleItemsWithAfterAreReturnedInCorrectOrder")
    void returnsDelayedKeysInTheOrderOfTime() throws Exception {
        Future<List<String>> taker = others.submit(
                () -> List.of(Objects.requireNonNull(queue.take()), Objects.requireNonNull(queue.take())));
        queue.addAfter("foo", Duration.ofSeconds(1));
        queue.addAfter("bar", Duration.ofMillis(200));
        assertThat(taker.isDone()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(Waiting.on(taker)).containsExactly("bar", "foo");
        assertThat(depth(0)).isZero();
        assertThat(adds()).isEqualTo(2);
    }

    @Test
    @DisplayName("TestGetFromPriorityQueueIsUnblockedOnShutdown")
    void sendsWaitingTakersAwayAtShutDown() throws Exception {
        Future<String> taker = others.submit(queue::take);
        assertThat(taker.isDone()).isFalse();
        queue.shutDown();
        assertThat(Waiting.on(taker)).isNull();
    }

    @Test
    @DisplayName("TestItemsAreInludedInLenAndMetricsOnceTheyAreReady")
    void countsKeysOnceTheyAreReady() throws InterruptedException {
        for (int round = 0; round < 2; round++) {
            queue.addAfter("foo", Duration.ofMillis(500));
            queue.add("baz");
            queue.addAfter("bar", Duration.ofMillis(500));
            queue.add("bal");
            assertThat(queue.size()).isEqualTo(2);
            assertThat(depth(0)).isEqualTo(2);
            time.advance(Duration.ofSeconds(1));
            assertThat(queue.size()).isEqualTo(4);
            assertThat(depth(0)).isEqualTo(4);
            for (int i = 0; i < 4; i++) {
                queue.done(Objects.requireNonNull(queue.take()));
            }
            assertThat(queue.size()).isZero();
            assertThat(depth(0)).isZero();
        }
    }

    @Test
    @DisplayName("TestMetricsAreUpdatedForItemWhoseRequeueAfterExpiredThatGetsAddedAgainWithoutRequeueAfter")
    void countsAKeyOnceWhoseDelayHasPassedAndThatIsAdded() throws InterruptedException {
        queue.addAfter("foo", Duration.ofMillis(50));
        time.advance(Duration.ofMillis(50));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(depth(0)).isEqualTo(1);
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(depth(0)).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        assertThat(queue.size()).isZero();
        assertThat(depth(0)).isZero();
    }

    @Test
    @DisplayName("TestWhenAddingMultipleItemsWithRatelimitTrueTheyDontAffectEachOther")
    void limitsEachKeyByItself() throws InterruptedException {
        FailureTracker<String> limiter = new FailureTracker<>(time, Backoff.DEFAULT);
        WorkQueue<String> limited = WorkQueue.<String>named("limited")
                .clock(time)
                .timer(time)
                .failures(limiter)
                .build();
        for (int i = 0; i < 7; i++) {
            limiter.when("bar");
        }
        limited.addRateLimited("foo");
        limited.addRateLimited("bar");
        assertThat(limited.size()).isZero();
        time.advance(Duration.ofMillis(5));
        assertThat(limited.take()).isEqualTo("foo");
        assertThat(limited.size()).isZero();
        assertThat(time.scheduledDelays()).containsExactly(Duration.ofMillis(635));
        time.advance(Duration.ofMillis(635));
        assertThat(limited.take()).isEqualTo("bar");
        limited.close();
    }

    @Test
    @DisplayName("TestPriorityQueueDoesNotDeadlockOnShutdownWhileHandingOutItems")
    void letsEveryoneGoAtShutDown() throws Exception {
        for (int round = 0; round < 50; round++) {
            try (SystemTimer timer = new SystemTimer("timer");
                    WorkQueue<String> real =
                            WorkQueue.<String>named("real").timer(timer).build()) {
                List<Future<?>> workers = new ArrayList<>();
                for (int w = 0; w < 20; w++) {
                    Random random = new Random(w);
                    workers.add(others.submit((Callable<Void>) () -> {
                        do {
                            real.add("key " + random.nextInt(1000), random.nextInt(100));
                        } while (real.take() != null);
                        return null;
                    }));
                }
                await().until(() -> real.snapshot().processingKeys() > 20);
                real.shutDown();
                for (Future<?> worker : workers) {
                    Waiting.on(worker);
                }
            }
        }
    }

    private double depth(int priority) {
        return registry.find("workqueue.depth").tag("priority", Integer.toString(priority)).gauges().stream()
                .mapToDouble(gauge -> gauge.value())
                .sum();
    }

    private double adds() {
        return registry.get("workqueue.adds").functionCounter().count();
    }

    private double retries() {
        return registry.get("workqueue.retries").functionCounter().count();
    }
}

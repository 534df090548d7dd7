package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The test cases of client-go 0.37's {@code util/workqueue}, re-expressed for ours; each is named after the Go test that
 * it re-expresses. Left out are
 *
 * <ul>
 *   <li>TestParallelizeUntil ({@code parallelizer_test.go}): ours has no parallelizer; the JDK has executors
 *   <li>what {@code queue_test.go} says of {@code ShutDownWithDrain}: ours does not wait for keys that are with workers;
 *       a controller waits for its workers itself
 *   <li>TestWithMaxWaitRateLimiter ({@code default_rate_limiters_test.go}): ours has no limit on top; {@code exponential}
 *       and {@code fastSlow} have a longest delay of their own
 *   <li>of TestCollapse and TestCollapseWhileProcessing what they say of {@code Touch}: ours has no queue that can be put
 *       in; priorities and fairness are its own
 *   <li>of TestMetricShutdown the ticker: ours measures when it is scraped, so that there is nothing to stop but the
 *       meters themselves
 * </ul>
 */
class ClientGoCasesTest {

    private final VirtualTime time = new VirtualTime();
    private final WorkQueue<String> queue = WorkQueue.<String>named("client-go")
            .clock(time)
            .timer(time)
            .failures(new FailureTracker<>(time, Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1))))
            .build();
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        queue.close();
        others.shutdownNow();
    }

    @Test
    @DisplayName("queue_test.go TestBasic")
    void handsOutNothingThatWasAddedAfterShutdown() throws Exception {
        try (SystemTimer timer = new SystemTimer("timer");
                WorkQueue<String> real =
                        WorkQueue.<String>named("real").timer(timer).build()) {
            List<Future<?>> producers = start(50, producer -> {
                for (int i = 0; i < 50; i++) {
                    real.add("key " + producer);
                }
            });
            List<Future<?>> consumers = start(10, consumer -> {
                for (String key = real.take(); key != null; key = real.take()) {
                    assertThat(key).isNotEqualTo("added after shutdown");
                    real.done(key);
                }
            });
            join(producers);
            real.shutDown();
            real.add("added after shutdown");
            join(consumers);
            assertThat(real.size()).isZero();
        }
    }

    @Test
    @DisplayName("queue_test.go TestAddWhileProcessing")
    void finishesWhatWorkersAddAgain() throws Exception {
        try (SystemTimer timer = new SystemTimer("timer");
                WorkQueue<String> real =
                        WorkQueue.<String>named("real").timer(timer).build()) {
            List<Future<?>> producers = start(50, producer -> real.add("key " + producer));
            List<Future<?>> consumers = start(10, consumer -> {
                Map<String, Integer> seen = new HashMap<>();
                for (String key = real.take(); key != null; key = real.take()) {
                    if (seen.merge(key, 1, Integer::sum) < 2) {
                        real.add(key);
                    }
                    real.done(key);
                }
            });
            join(producers);
            real.shutDown();
            join(consumers);
            assertThat(real.size()).isZero();
        }
    }

    @Test
    @DisplayName("queue_test.go TestLen")
    void countsAKeyOnceHoweverOftenItIsAdded() {
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(1);
        queue.add("bar");
        assertThat(queue.size()).isEqualTo(2);
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(2);
    }

    @Test
    @DisplayName("queue_test.go TestReinsert")
    void queuesAKeyAgainThatWasAddedWhileProcessed() throws InterruptedException {
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.add("foo");
        queue.done("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.done("foo");
        assertThat(queue.size()).isZero();
    }

    @Test
    @DisplayName("queue_test.go TestCollapse")
    void makesOneOfTwoAdds() throws InterruptedException {
        queue.add("bar");
        queue.add("bar");
        assertThat(queue.take()).isEqualTo("bar");
        queue.done("bar");
        assertThat(queue.size()).isZero();
    }

    @Test
    @DisplayName("queue_test.go TestCollapseWhileProcessing")
    void makesOneOfTwoAddsWhileProcessing() throws Exception {
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.add("foo");
        queue.add("foo");
        Taker taker = new Taker();
        taker.awaitBlocked();
        queue.done("foo");
        assertThat(taker.key()).isEqualTo("foo");
        queue.done("foo");
        assertThat(queue.size()).isZero();
    }

    @Test
    @DisplayName("queue_test.go TestNoQueueDrainageUsingShutDown")
    void shutsDownWithoutWaiting() throws Exception {
        queue.add("foo");
        queue.add("bar");
        queue.take();
        queue.take();
        queue.shutDown();
        assertThat(queue.isShuttingDown()).isTrue();
        assertThat(queue.take()).isNull();
    }

    @Test
    @DisplayName("queue_test.go TestGarbageCollection")
    void holdsNoKeyThatIsDone() throws InterruptedException {
        WorkQueue<Object> objects = WorkQueue.<Object>named("objects")
                .clock(time)
                .timer(time)
                .fairness(key -> "flow of " + key)
                .build();
        WeakReference<Object> key = addTakeAndFinish(objects);
        await().until(() -> {
            System.gc();
            return key.refersTo(null);
        });
        objects.close();
    }

    private static WeakReference<Object> addTakeAndFinish(WorkQueue<Object> objects) throws InterruptedException {
        Object key = new Object();
        objects.add(key);
        objects.addRateLimited(key);
        objects.retryNow();
        assertThat(objects.take()).isSameAs(key);
        objects.done(key);
        return new WeakReference<>(key);
    }

    @Test
    @DisplayName("delaying_queue_test.go TestSimpleQueue")
    void delaysAKeyUntilItsTime() throws InterruptedException {
        queue.addAfter("foo", Duration.ofMillis(50));
        assertThat(queue.size()).isZero();
        time.advance(Duration.ofMillis(60));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofSeconds(10));
        assertThat(queue.size()).isZero();
    }

    @Test
    @DisplayName("delaying_queue_test.go TestDeduping")
    void letsTheEarlierOfTwoDelaysWin() throws InterruptedException {
        queue.addAfter("foo", Duration.ofMillis(50));
        queue.addAfter("foo", Duration.ofMillis(70));
        assertThat(queue.size()).isZero();
        time.advance(Duration.ofMillis(60));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofMillis(20));
        assertThat(queue.size()).isZero();

        queue.addAfter("foo", Duration.ofMillis(50));
        queue.addAfter("foo", Duration.ofMillis(30));
        assertThat(queue.size()).isZero();
        time.advance(Duration.ofMillis(40));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofMillis(20));
        assertThat(queue.size()).isZero();
    }

    @Test
    @DisplayName("delaying_queue_test.go TestAddTwoFireEarly")
    void delaysEachKeyByItself() throws InterruptedException {
        queue.addAfter("foo", Duration.ofSeconds(1));
        queue.addAfter("bar", Duration.ofMillis(50));
        assertThat(queue.size()).isZero();
        time.advance(Duration.ofMillis(60));
        assertThat(takeAll()).containsExactly("bar");
        queue.addAfter("baz", Duration.ofSeconds(2));
        time.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofSeconds(2));
        assertThat(takeAll()).containsExactly("baz");
    }

    @Test
    @DisplayName("delaying_queue_test.go TestCopyShifting")
    void deliversInTheOrderOfTimeNotOfAdding() throws InterruptedException {
        queue.addAfter("foo", Duration.ofSeconds(1));
        queue.addAfter("bar", Duration.ofMillis(500));
        queue.addAfter("baz", Duration.ofMillis(250));
        assertThat(queue.size()).isZero();
        time.advance(Duration.ofSeconds(2));
        assertThat(takeAll()).containsExactly("baz", "bar", "foo");
    }

    @Test
    @DisplayName("rate_limiting_queue_test.go TestRateLimitingQueue")
    void makesAFailingKeyWaitLongerEachTime() throws InterruptedException {
        queue.addRateLimited("one");
        assertThat(queue.snapshot().delayed()).isEqualTo(Map.of("one", Duration.ofMillis(1)));
        time.advance(Duration.ofMillis(1));
        queue.addRateLimited("one");
        queue.addRateLimited("two");
        assertThat(queue.snapshot().delayed())
                .isEqualTo(Map.of("one", Duration.ofMillis(2), "two", Duration.ofMillis(1)));
        assertThat(queue.snapshot().retries()).containsEntry("one", 2);
        time.advance(Duration.ofMillis(2));
        queue.addRateLimited("two");
        assertThat(queue.snapshot().delayed()).isEqualTo(Map.of("two", Duration.ofMillis(2)));
        queue.forget("one");
        assertThat(queue.snapshot().retries()).doesNotContainKey("one");
        queue.addRateLimited("one");
        assertThat(queue.snapshot().delayed()).containsEntry("one", Duration.ofMillis(1));
    }

    @Test
    @DisplayName("metrics_test.go TestMetrics")
    void measuresAsUpstream() throws InterruptedException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        WorkQueue<String> measured = WorkQueue.<String>named("test")
                .clock(time)
                .timer(time)
                .meterRegistry(registry)
                .build();
        measured.add("foo");
        assertThat(registry.get("workqueue.adds").functionCounter().count()).isEqualTo(1);
        assertThat(depth(registry, 0)).isEqualTo(1);
        time.advance(Duration.ofNanos(50_000));
        measured.take();
        assertThat(registry.get("workqueue.queue.duration").timer().count()).isEqualTo(1);
        assertThat(registry.get("workqueue.queue.duration").timer().totalTime(TimeUnit.MICROSECONDS))
                .isEqualTo(50);
        for (int i = 0; i < 5; i++) {
            measured.add("foo");
        }
        assertThat(registry.get("workqueue.adds").functionCounter().count()).isEqualTo(2);
        // Upstream counts this key in the depth before it can be taken; ours counts keys that can be taken.
        assertThat(depth(registry, 0)).isZero();
        time.advance(Duration.ofNanos(25_000));
        measured.done("foo");
        assertThat(registry.get("workqueue.work.duration").timer().totalTime(TimeUnit.MICROSECONDS))
                .isEqualTo(25);
        assertThat(depth(registry, 0)).isEqualTo(1);
        measured.take();
        assertThat(registry.get("workqueue.queue.duration").timer().count()).isEqualTo(2);
        assertThat(registry.get("workqueue.queue.duration").timer().totalTime(TimeUnit.MICROSECONDS))
                .as("both")
                .isEqualTo(75);
        time.advance(Duration.ofMillis(1));
        assertThat(registry.get("workqueue.unfinished.work").timeGauge().value(TimeUnit.MILLISECONDS))
                .isEqualTo(1);
        assertThat(registry.get("workqueue.longest.running.processor")
                        .timeGauge()
                        .value(TimeUnit.MILLISECONDS))
                .isEqualTo(1);
        measured.done("foo");
        assertThat(registry.get("workqueue.work.duration").timer().count()).isEqualTo(2);
        assertThat(registry.get("workqueue.work.duration").timer().totalTime(TimeUnit.MICROSECONDS))
                .as("both")
                .isEqualTo(1025);
        measured.close();
    }

    @Test
    @DisplayName("metrics_test.go TestMetricShutdown")
    void leavesNoMeterBehind() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        WorkQueue<String> measured = WorkQueue.<String>named("test")
                .clock(time)
                .timer(time)
                .meterRegistry(registry)
                .build();
        measured.close();
        time.advance(Duration.ofHours(1));
        assertThat(registry.getMeters()).isEmpty();
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    @DisplayName("default_rate_limiters_test.go TestItemExponentialFailureRateLimiter")
    void doublesTheDelayWithEachFailure() {
        FailureTracker<String> limiter =
                new FailureTracker<>(time, Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1)));
        assertThat(millis(limiter, "one", 5)).containsExactly(1L, 2L, 4L, 8L, 16L);
        assertThat(limiter.mostFailed(10)).containsEntry("one", 5);
        assertThat(millis(limiter, "two", 2)).containsExactly(1L, 2L);
        assertThat(limiter.mostFailed(10)).containsEntry("two", 2);
        limiter.forget("one");
        assertThat(limiter.mostFailed(10)).doesNotContainKey("one");
        assertThat(millis(limiter, "one", 1)).containsExactly(1L);
    }

    @Test
    @DisplayName("default_rate_limiters_test.go TestItemExponentialFailureRateLimiterOverFlow")
    void doesNotOverflow() {
        FailureTracker<String> seconds =
                new FailureTracker<>(time, Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1000)));
        assertThat(millis(seconds, "one", 6)).endsWith(32L);
        assertThat(millis(seconds, "overflow", 1001)).endsWith(1_000_000L);
        FailureTracker<String> hours =
                new FailureTracker<>(time, Backoff.exponential(Duration.ofMinutes(1), Duration.ofHours(1000)));
        assertThat(millis(hours, "two", 3)).endsWith(240_000L);
        assertThat(millis(hours, "overflow", 1001)).endsWith(3_600_000_000L);
    }

    @Test
    @DisplayName("default_rate_limiters_test.go TestItemFastSlowRateLimiter")
    void triesAFewTimesFastThenSlowly() {
        FailureTracker<String> limiter =
                new FailureTracker<>(time, Backoff.fastSlow(Duration.ofMillis(5), Duration.ofSeconds(10), 3));
        assertThat(millis(limiter, "one", 5)).containsExactly(5L, 5L, 5L, 10_000L, 10_000L);
        assertThat(limiter.mostFailed(10)).containsEntry("one", 5);
        assertThat(millis(limiter, "two", 2)).containsExactly(5L, 5L);
        limiter.forget("one");
        assertThat(limiter.mostFailed(10)).doesNotContainKey("one");
        assertThat(millis(limiter, "one", 1)).containsExactly(5L);
    }

    @Test
    @DisplayName("default_rate_limiters_test.go TestMaxOfRateLimiter")
    void takesTheLongestOfSeveralDelays() {
        FailureTracker<String> limiter = new FailureTracker<>(
                time,
                Backoff.fastSlow(Duration.ofMillis(5), Duration.ofSeconds(3), 3)
                        .orLonger(Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1))));
        assertThat(millis(limiter, "one", 5)).containsExactly(5L, 5L, 5L, 3000L, 3000L);
        assertThat(limiter.mostFailed(10)).containsEntry("one", 5);
        assertThat(millis(limiter, "two", 2)).containsExactly(5L, 5L);
        limiter.forget("one");
        assertThat(limiter.mostFailed(10)).doesNotContainKey("one");
        assertThat(millis(limiter, "one", 1)).containsExactly(5L);
    }

    private static List<Long> millis(FailureTracker<String> limiter, String key, int times) {
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            delays.add(limiter.when(key).toMillis());
        }
        return delays;
    }

    private static double depth(SimpleMeterRegistry registry, int priority) {
        return registry.get("workqueue.depth")
                .tag("priority", Integer.toString(priority))
                .gauge()
                .value();
    }

    private List<String> takeAll() throws InterruptedException {
        List<String> keys = new ArrayList<>();
        while (queue.size() > 0) {
            String key = Objects.requireNonNull(queue.take());
            keys.add(key);
            queue.done(key);
        }
        return keys;
    }

    /** What one of several threads does. */
    private interface Work {
        void run(int number) throws Exception;
    }

    private List<Future<?>> start(int threads, Work work) {
        List<Future<?>> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            started.add(others.submit((Callable<Void>) () -> {
                work.run(number);
                return null;
            }));
        }
        return started;
    }

    private static void join(List<Future<?>> started) throws Exception {
        for (Future<?> one : started) {
            Waiting.on(one);
        }
    }

    /** A thread that takes one key. */
    private final class Taker {
        private final Future<String> key;
        private volatile Thread thread = Thread.currentThread();

        Taker() {
            Thread creator = thread;
            key = others.submit(() -> {
                thread = Thread.currentThread();
                return queue.take();
            });
            await().until(() -> thread != creator);
        }

        void awaitBlocked() {
            await().until(() -> thread.getState() == Thread.State.WAITING);
            assertThat(key.isDone()).isFalse();
        }

        String key() throws Exception {
            return Waiting.on(key);
        }
    }
}

package io.controllermanager.workqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.time.VirtualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a work queue promises, case by case. Re-expressed here are
 *
 * <ul>
 *   <li>from client-go's {@code util/workqueue/queue_test.go}: TestLen, TestReinsert, TestCollapse,
 *       TestCollapseWhileProcessing, TestQueueDrainageUsingShutDownWithDrain, TestNoQueueDrainageUsingShutDown,
 *       TestForceQueueShutdownUsingShutDown, TestQueueDrainageUsingShutDownWithDrainWithDirtyItem, TestGarbageCollection
 *       (TestBasic and TestAddWhileProcessing are in {@link WorkQueueStressTest})
 *   <li>from {@code delaying_queue_test.go}: TestSimpleQueue, TestDeduping, TestAddTwoFireEarly, TestCopyShifting
 *   <li>from {@code rate_limiting_queue_test.go}: TestRateLimitingQueue
 *   <li>from controller-runtime's {@code priorityqueue_test.go}: all cases but those about its btree and its goroutines
 * </ul>
 *
 * Ours differs on purpose: {@code shutDown} drops keys that have not been taken, as its interface says; and a delay of a
 * key that is ready stays, as in client-go and unlike in controller-runtime.
 */
class PriorityWorkQueueTest {

    private final VirtualTime time = new VirtualTime();
    private final PriorityWorkQueue<String> queue = PriorityWorkQueue.<String>named("test")
            .clock(time)
            .timer(time)
            .agingInterval(4)
            .rateLimiter(RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(1)))
            .build();
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        queue.close();
        others.shutdownNow();
    }

    @Test
    void countsAKeyOnceHoweverOftenItIsAdded() throws InterruptedException {
        queue.add("foo");
        queue.add("bar");
        queue.add("foo");
        assertThat(queue.size()).isEqualTo(2);
        assertThat(takeAll()).containsExactly("foo", "bar");
    }

    @Test
    void queuesAKeyAgainThatWasAddedWhileProcessed() throws InterruptedException {
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.add("foo");
        queue.add("foo");
        assertThat(queue.size()).isZero();
        queue.done("foo");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take()).isEqualTo("foo");
        queue.done("foo");
        assertThat(queue.size()).isZero();
    }

    @Test
    void keepsAKeyFromASecondWorkerUntilTheFirstIsDone() throws Exception {
        queue.add("foo");
        queue.take();
        queue.add("foo");
        Future<String> second = others.submit(queue::take);
        queue.add("bar");
        assertThat(second.get()).isEqualTo("bar");
        queue.done("foo");
        assertThat(queue.take()).isEqualTo("foo");
    }

    @Test
    void standsAtTheEndWhenAddedAgainWhileProcessed() throws InterruptedException {
        queue.add("foo");
        queue.take();
        queue.add("foo");
        queue.add("bar");
        queue.add("baz");
        assertThat(queue.take()).isEqualTo("bar");
        queue.done("foo");
        assertThat(takeAll()).containsExactly("baz", "foo");
    }

    @Test
    void ignoresDoneForAKeyThatNobodyHas() throws InterruptedException {
        queue.add("foo");
        queue.done("foo");
        queue.done("bar");
        assertThat(takeAll()).containsExactly("foo");
    }

    @Test
    void wakesATakerThatWaits() throws Exception {
        Future<String> taker = others.submit(queue::take);
        queue.add("foo");
        assertThat(taker.get()).isEqualTo("foo");
    }

    @Test
    void losesNoKeyToATakerThatIsInterrupted() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        others.execute(() -> {
            thread.complete(Thread.currentThread());
            try {
                thrown.completeExceptionally(new AssertionError("took " + queue.take()));
            } catch (InterruptedException e) {
                thrown.complete(e);
            }
        });
        thread.get().interrupt();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
    }

    @Test
    void dropsWhatNobodyHasTakenAtShutDown() throws Exception {
        Future<String> waiting = others.submit(queue::take);
        queue.add("first");
        assertThat(waiting.get()).isEqualTo("first");
        queue.add("foo");
        queue.add("first");
        queue.addAfter("bar", Duration.ofSeconds(1));
        queue.shutDown();
        queue.add("added after shutdown");
        queue.addAfter("added after shutdown", Duration.ZERO);
        queue.addRateLimited("added after shutdown");
        queue.done("first");
        assertThat(queue.isShuttingDown()).isTrue();
        assertThat(queue.take()).isNull();
        assertThat(queue.take()).isNull();
        assertThat(queue.size() + queue.delayed() + time.scheduledTasks()).isZero();
    }

    @Test
    void sendsWaitingTakersAwayAtShutDown() throws Exception {
        Future<String> one = others.submit(queue::take);
        Future<String> two = others.submit(queue::take);
        queue.shutDown();
        assertThat(one.get()).isNull();
        assertThat(two.get()).isNull();
    }

    @Test
    void drainsUntilEveryKeyIsDone() throws Exception {
        queue.add("foo");
        queue.add("bar");
        queue.add("baz");
        queue.addAfter("delayed", Duration.ofSeconds(1));
        queue.take();
        queue.take();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().pollInterval(Duration.ofMillis(1)).until(queue::isShuttingDown);
        queue.add("too late");
        assertThat(queue.delayed()).isZero();
        assertThat(queue.take()).isEqualTo("baz");
        assertThat(queue.take()).isNull();
        queue.done("foo");
        queue.done("bar");
        assertThat(drain.isDone()).isFalse();
        queue.done("baz");
        assertThat(drain.get()).isTrue();
    }

    @Test
    void drainsAKeyThatWasAddedAgainWhileProcessed() throws Exception {
        queue.add("foo");
        queue.take();
        queue.add("foo");
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().pollInterval(Duration.ofMillis(1)).until(queue::isShuttingDown);
        assertThat(queue.take()).isNull();
        queue.done("foo");
        assertThat(queue.take()).isEqualTo("foo");
        queue.done("foo");
        assertThat(queue.take()).isNull();
        assertThat(drain.get()).isTrue();
    }

    @Test
    void endsADrainByShutDown() throws Exception {
        queue.add("foo");
        queue.take();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().pollInterval(Duration.ofMillis(1)).until(queue::isShuttingDown);
        queue.shutDown();
        assertThat(drain.get()).isFalse();
    }

    @Test
    void endsADrainAtItsTimeLimit() throws Exception {
        queue.add("foo");
        queue.take();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().pollInterval(Duration.ofMillis(1)).until(() -> time.scheduledTasks() == 1);
        time.advance(Duration.ofSeconds(59));
        assertThat(drain.isDone()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(drain.get()).isFalse();
    }

    @Test
    void holdsNoKeyThatIsDone() throws InterruptedException {
        PriorityWorkQueue<Object> objects = PriorityWorkQueue.<Object>named("objects")
                .clock(time)
                .timer(time)
                .build();
        WeakReference<Object> key = addTakeAndFinish(objects);
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
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
    void delaysAKeyUntilItsTimeAndNotLonger() throws InterruptedException {
        queue.addAfter("foo", Duration.ofMillis(50));
        time.advance(Duration.ofMillis(50).minusNanos(1));
        assertThat(queue.size()).isZero();
        assertThat(queue.delayed()).isEqualTo(1);
        time.advance(Duration.ofNanos(1));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofSeconds(10));
        assertThat(queue.size()).isZero();
    }

    @Test
    void letsTheEarliestOfSeveralDelaysWin() throws InterruptedException {
        queue.addAfter("foo", Duration.ofMillis(50));
        queue.addAfter("foo", Duration.ofMillis(70));
        time.advance(Duration.ofMillis(50));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofMillis(20));
        assertThat(queue.size()).isZero();

        queue.addAfter("foo", Duration.ofMillis(50));
        queue.addAfter("foo", Duration.ofMillis(30));
        time.advance(Duration.ofMillis(30));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofMillis(20));
        assertThat(queue.size()).isZero();
    }

    @Test
    void delaysEachKeyByItself() throws InterruptedException {
        queue.addAfter("foo", Duration.ofSeconds(1));
        queue.addAfter("bar", Duration.ofMillis(50));
        time.advance(Duration.ofMillis(50));
        assertThat(takeAll()).containsExactly("bar");
        queue.addAfter("baz", Duration.ofSeconds(2));
        time.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofSeconds(1));
        assertThat(takeAll()).containsExactly("baz");
    }

    @Test
    void deliversInTheOrderOfTimeNotOfAdding() throws InterruptedException {
        queue.addAfter("third", Duration.ofSeconds(3));
        queue.addAfter("first", Duration.ofSeconds(1));
        queue.addAfter("second", Duration.ofSeconds(2));
        queue.addAfter("second too", Duration.ofSeconds(2));
        time.advance(Duration.ofSeconds(5));
        assertThat(takeAll()).containsExactly("first", "second", "second too", "third");
    }

    @Test
    void keepsTheDelayOfAKeyThatIsReadyNow() throws InterruptedException {
        queue.add("foo");
        queue.addAfter("foo", Duration.ofHours(1));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofHours(1));
        assertThat(takeAll()).containsExactly("foo");
    }

    @Test
    void asksTheTimerForTheEarliestDelayOnly() {
        for (int i = 1000; i > 0; i--) {
            queue.addAfter("key " + i, Duration.ofSeconds(i));
        }
        assertThat(time.scheduledDelays()).containsExactly(Duration.ofSeconds(1));
    }

    @Test
    void takesDelaysOfAnyLength() {
        queue.addAfter("never", Duration.ofSeconds(Long.MAX_VALUE));
        queue.addAfter("past", Duration.ofSeconds(Long.MIN_VALUE));
        time.advance(Duration.ofDays(365));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.delayed()).isEqualTo(1);
    }

    @Test
    void makesAFailingKeyWaitLongerEachTime() throws InterruptedException {
        queue.addRateLimited("one");
        assertThat(queue.snapshot().delayed()).isEqualTo(Map.of("one", Duration.ofMillis(1)));
        time.advance(Duration.ofMillis(1));
        assertThat(takeAll()).containsExactly("one");
        queue.addRateLimited("one");
        queue.addRateLimited("two");
        assertThat(queue.snapshot().delayed())
                .isEqualTo(Map.of("one", Duration.ofMillis(2), "two", Duration.ofMillis(1)));
        assertThat(queue.numRequeues("one")).isEqualTo(2);
        queue.forget("one");
        assertThat(queue.numRequeues("one")).isZero();
        time.advance(Duration.ofMillis(2));
        takeAll();
        queue.addRateLimited("one");
        assertThat(queue.snapshot().delayed()).isEqualTo(Map.of("one", Duration.ofMillis(1)));
        assertThat(queue.snapshot().retries()).isEqualTo(Map.of("one", 1, "two", 1));
    }

    @Test
    void takesHigherPrioritiesFirst() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.add("normal");
        queue.add("high", WorkQueue.HIGH_PRIORITY);
        queue.add("normal too");
        assertThat(queue.snapshot().depthByPriority())
                .isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1, 0, 2, WorkQueue.HIGH_PRIORITY, 1));
        assertThat(takeAll()).containsExactly("high", "normal", "normal too", "low");
    }

    @Test
    void raisesAPriorityButDoesNotLowerIt() throws InterruptedException {
        queue.add("foo", 1);
        queue.add("bar", 2);
        queue.add("baz", 1);
        queue.add("foo", 2);
        queue.add("bar", 1);
        assertThat(queue.size()).isEqualTo(3);
        assertThat(takeAll()).containsExactly("bar", "foo", "baz");
    }

    @Test
    void raisesThePriorityOfAKeyThatIsProcessed() throws InterruptedException {
        queue.add("foo", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.add("foo", WorkQueue.LOW_PRIORITY);
        queue.add("foo", 1);
        queue.add("bar");
        queue.done("foo");
        assertThat(takeAll()).containsExactly("foo", "bar");
    }

    @Test
    void retriesAKeyAtThePriorityItWasTakenWith() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.add("lower", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.addRateLimited("low");
        queue.done("low");
        queue.take();
        queue.addAfter("lower", Duration.ofMillis(1));
        queue.done("lower");
        time.advance(Duration.ofMillis(1));
        queue.add("normal");
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 2, 0, 1));
        assertThat(takeAll()).containsExactly("normal", "low", "lower");
    }

    @Test
    void putsAKeyBackAtThePriorityItWasTakenWith() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.addAgain("low");
        queue.done("low");
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1));
    }

    @Test
    void doesNotLetLowPrioritiesStarve() throws InterruptedException {
        queue.add("low 1", WorkQueue.LOW_PRIORITY);
        queue.add("low 2", WorkQueue.LOW_PRIORITY);
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queue.add("normal " + i);
            queue.add("normal too " + i);
            taken.add(takeOne());
        }
        assertThat(taken.indexOf("low 1")).isEqualTo(3);
        assertThat(taken.indexOf("low 2")).isEqualTo(7);
    }

    @Test
    void treatsAllKeysAlikeWithoutPriorities() throws InterruptedException {
        WorkQueue<String> plain = PriorityWorkQueue.<String>named("plain")
                .clock(time)
                .timer(time)
                .priorities(false)
                .build();
        plain.add("low", WorkQueue.LOW_PRIORITY);
        plain.add("high", WorkQueue.HIGH_PRIORITY);
        assertThat(plain.take()).isEqualTo("low");
        plain.close();
    }

    @Test
    void keepsItsOrderWithManyPriorities() throws InterruptedException {
        List<String> expected = new ArrayList<>();
        for (int priority = 100; priority > 0; priority--) {
            expected.add("key " + priority);
            queue.add("key " + (101 - priority), 101 - priority);
        }
        List<String> taken = takeAll();
        assertThat(taken).containsExactlyInAnyOrderElementsOf(expected);
        taken.removeIf(key -> taken.indexOf(key) % 4 == 3); // those served for their age
        assertThat(taken).isSubsetOf(expected).startsWith("key 100", "key 99", "key 98", "key 97");
    }

    @Test
    void releasesRetriesButNotOtherDelays() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            queue.addRateLimited("failed");
        }
        queue.addAfter("failed too, and asked for", Duration.ofHours(1));
        queue.addRateLimited("failed too, and asked for");
        queue.addAfter("asked for", Duration.ofHours(1));
        queue.retryNow();
        assertThat(takeAll()).containsExactlyInAnyOrder("failed", "failed too, and asked for");
        assertThat(queue.snapshot().retries()).isEmpty();
        assertThat(queue.snapshot().delayed()).containsOnlyKeys("asked for", "failed too, and asked for");
        time.advance(Duration.ofHours(1));
        assertThat(takeAll()).containsExactlyInAnyOrder("asked for", "failed too, and asked for");
    }

    @Test
    void tellsWhatIsInIt() throws InterruptedException {
        queue.add("worked on");
        queue.take();
        time.advance(Duration.ofSeconds(3));
        queue.add("ready");
        queue.addAfter("delayed", Duration.ofSeconds(5));
        time.advance(Duration.ofSeconds(1));
        QueueSnapshot<String> snapshot = queue.snapshot();
        assertThat(snapshot.processing()).isEqualTo(Map.of("worked on", Duration.ofSeconds(4)));
        assertThat(snapshot.delayed()).isEqualTo(Map.of("delayed", Duration.ofSeconds(4)));
        assertThat(snapshot.depthByPriority()).isEqualTo(Map.of(0, 1));
    }

    @Test
    void refusesNonsense() {
        assertThatThrownBy(() -> PriorityWorkQueue.named("")).hasMessageContaining("name");
        assertThatThrownBy(() -> PriorityWorkQueue.named("foo").build()).hasMessageContaining("foo");
        assertThatThrownBy(() -> PriorityWorkQueue.named("foo").agingInterval(1))
                .hasMessageContaining("1");
    }

    private String takeOne() throws InterruptedException {
        String key = Objects.requireNonNull(queue.take());
        queue.done(key);
        return key;
    }

    private List<String> takeAll() throws InterruptedException {
        List<String> keys = new ArrayList<>();
        while (queue.size() > 0) {
            keys.add(takeOne());
        }
        return keys;
    }
}

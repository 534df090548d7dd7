package io.controllermanager.workqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.time.Clock;
import io.controllermanager.time.VirtualTime;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
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
 * What a work queue promises, case by case, beyond {@link ClientGoCasesTest} and {@link ControllerRuntimeCasesTest}.
 */
class PriorityWorkQueueTest {

    private final VirtualTime time = new VirtualTime();
    private final PriorityWorkQueue<String> queue = PriorityWorkQueue.<String>named("test")
            .clock(time)
            .timer(time)
            .meterRegistry(new SimpleMeterRegistry())
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
    void oneRefusalOfTheTimerDelaysNoOtherKey() throws InterruptedException {
        boolean[] refuse = {true};
        try (PriorityWorkQueue<String> delays = PriorityWorkQueue.<String>named("delays")
                .clock(time)
                .timer((delay, task) -> {
                    if (refuse[0]) {
                        throw new OutOfMemoryError("made up");
                    }
                    return time.schedule(delay, task);
                })
                .build()) {
            assertThatThrownBy(() -> delays.addAfter("first", Duration.ofSeconds(1)))
                    .isInstanceOf(OutOfMemoryError.class);
            refuse[0] = false;
            delays.addAfter("second", Duration.ofSeconds(2));
            time.advance(Duration.ofSeconds(1));
            assertThat(delays.size()).isEqualTo(1);
            assertThat(delays.take()).isEqualTo("first");
            time.advance(Duration.ofSeconds(1));
            assertThat(delays.take()).isEqualTo("second");
        }
    }

    @Test
    void goesOnWithItsDelaysAfterOneCouldNotBeEnded() throws InterruptedException {
        int[] untilFailure = {0};
        Clock clock = new Clock() {
            @Override
            public long nanoTime() {
                if (untilFailure[0] > 0 && --untilFailure[0] == 0) {
                    throw new OutOfMemoryError("made up");
                }
                return time.nanoTime();
            }

            @Override
            public Instant now() {
                return time.now();
            }
        };
        try (PriorityWorkQueue<String> delays = PriorityWorkQueue.<String>named("delays")
                .clock(clock)
                .timer(time)
                .build()) {
            delays.addAfter("first", Duration.ofSeconds(1));
            delays.addAfter("second", Duration.ofSeconds(2));
            untilFailure[0] = 1;
            assertThatThrownBy(() -> time.advance(Duration.ofSeconds(1))).isInstanceOf(OutOfMemoryError.class);
            time.runDue();
            assertThat(delays.size()).isEqualTo(1);
            assertThat(delays.take()).isEqualTo("first");
            time.advance(Duration.ofSeconds(1));
            assertThat(delays.take()).isEqualTo("second");
        }
    }

    @Test
    void losesNoKeyToAMeterThatThrows() throws InterruptedException {
        boolean[] broken = {false};
        SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, new MockClock() {
            @Override
            public long wallTime() {
                if (broken[0]) {
                    throw new IllegalStateException("broken");
                }
                return super.wallTime();
            }
        });
        try (PriorityWorkQueue<String> measured = PriorityWorkQueue.<String>named("measured")
                .clock(time)
                .timer(time)
                .meterRegistry(registry)
                .build()) {
            broken[0] = true;
            assertThatThrownBy(() ->
                            registry.get("workqueue.queue.duration").timer().record(Duration.ofSeconds(1)))
                    .hasMessage("broken");
            for (int i = 0; i < 3; i++) {
                measured.add("a");
                assertThat(measured.take()).isEqualTo("a");
                measured.done("a");
            }
            assertThat(measured.snapshot().processing()).isEmpty();
        }
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
    void dropsWhatNobodyHasTakenWhenClosed() throws Exception {
        Future<String> waiting = others.submit(queue::take);
        queue.add("first");
        assertThat(waiting.get()).isEqualTo("first");
        queue.add("foo");
        queue.add("first");
        queue.addAfter("bar", Duration.ofSeconds(1));
        queue.close();
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
    void takesHigherPrioritiesFirst() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.add("normal");
        queue.add("high", WorkQueue.HIGH_PRIORITY);
        queue.add("normal too");
        assertThat(queue.snapshot().depthByPriority())
                .isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1, 0, 2, WorkQueue.HIGH_PRIORITY, 1));
        assertThat(queue.depthByPriority()).isEqualTo(queue.snapshot().depthByPriority());
        assertThat(takeAll()).containsExactly("high", "normal", "normal too", "low");
    }

    @Test
    void saysHowLongTheNextKeyOfAPriorityHasWaited() throws InterruptedException {
        assertThat(queue.longestWait()).isEqualTo(Duration.ZERO);
        queue.add("low", WorkQueue.LOW_PRIORITY);
        time.advance(Duration.ofSeconds(2));
        queue.add("normal");
        time.advance(Duration.ofSeconds(1));
        assertThat(queue.longestWait()).isEqualTo(Duration.ofSeconds(3));
        assertThat(takeAll()).containsExactly("normal", "low");
        assertThat(queue.longestWait()).isEqualTo(Duration.ZERO);
        try (PriorityWorkQueue<String> unmeasured = PriorityWorkQueue.<String>named("unmeasured")
                .clock(time)
                .timer(time)
                .build()) {
            unmeasured.add("a");
            assertThat(unmeasured.longestWait()).isNull();
        }
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
    void letsTakersHaveWhatWasQueuedBeforeShutDown() throws InterruptedException {
        queue.add("taken");
        queue.take();
        queue.add("taken");
        queue.add("queued", WorkQueue.HIGH_PRIORITY);
        queue.addAfter("delayed", Duration.ofSeconds(1));
        queue.shutDown();
        queue.add("too late");
        assertThat(queue.delayed() + time.scheduledTasks()).isZero();
        assertThat(queue.take()).isEqualTo("queued");
        assertThat(queue.take()).isNull();
        queue.done("taken");
        assertThat(queue.take()).isEqualTo("taken");
        assertThat(queue.take()).isNull();
    }

    @Test
    void drainsAfterShutDownAsWell() throws Exception {
        queue.add("foo");
        queue.take();
        queue.shutDown();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().pollInterval(Duration.ofMillis(1)).until(() -> time.scheduledTasks() == 1);
        assertThat(drain.isDone()).isFalse();
        queue.done("foo");
        assertThat(drain.get()).isTrue();
    }

    @Test
    void servesFlowsInTurn() throws InterruptedException {
        PriorityWorkQueue<String> fair = fairQueue();
        for (int i = 0; i < 1000; i++) {
            fair.add("crowded/" + i);
        }
        fair.add("quiet/0");
        fair.add("other/0");
        fair.add("quiet/1");
        assertThat(takeSome(fair, 7))
                .containsExactly("crowded/0", "quiet/0", "other/0", "crowded/1", "quiet/1", "crowded/2", "crowded/3");
        fair.add("quiet/2");
        assertThat(takeSome(fair, 2)).containsExactly("crowded/4", "quiet/2");
        fair.close();
    }

    @Test
    void putsPriorityBeforeFairness() throws InterruptedException {
        PriorityWorkQueue<String> fair = fairQueue();
        fair.add("quiet/0", WorkQueue.LOW_PRIORITY);
        fair.add("crowded/0");
        fair.add("crowded/1");
        fair.add("crowded/2", WorkQueue.LOW_PRIORITY);
        fair.add("crowded/2");
        fair.add("quiet/1");
        assertThat(takeSome(fair, 3)).containsExactly("crowded/0", "quiet/1", "crowded/1");
        assertThat(takeSome(fair, 2)).as("the one served for its age first").containsExactly("quiet/0", "crowded/2");
        fair.close();
    }

    @Test
    void remembersNoFlowWithoutKeys() throws InterruptedException {
        PriorityWorkQueue<String> fair = fairQueue();
        for (int i = 0; i < 2000; i++) {
            fair.add(i + "/a");
            fair.add(i + "/b", WorkQueue.LOW_PRIORITY);
        }
        fair.add("7/c");
        assertThat(fair.snapshot(2).flows()).isEqualTo(4000);
        assertThat(fair.snapshot(1).depthByFlow()).isEqualTo(Map.of("7", 3));
        takeSome(fair, 4001);
        assertThat(fair.snapshot().flows()).isZero();
        assertThat(fair.snapshot().depthByFlow()).isEmpty();
        fair.add("7/a");
        assertThat(fair.snapshot().depthByFlow()).isEqualTo(Map.of("7", 1));
        fair.close();
    }

    @Test
    void takesNoFlowForAFlow() throws InterruptedException {
        PriorityWorkQueue<String> fair = PriorityWorkQueue.<String>named("fair")
                .clock(time)
                .timer(time)
                .fairness(key -> key.startsWith("namespaced") ? "namespace" : null)
                .build();
        List.of("node a", "node b", "namespaced").forEach(fair::add);
        assertThat(takeSome(fair, 3)).containsExactly("node a", "namespaced", "node b");
        fair.close();
    }

    @Test
    void isAsItWasAfterAFlowCouldNotBeTold() throws InterruptedException {
        PriorityWorkQueue<String> fair = PriorityWorkQueue.<String>named("fair")
                .clock(time)
                .timer(time)
                .fairness(key -> key.substring(0, key.indexOf('/')))
                .build();
        assertThatThrownBy(() -> fair.add("no flow")).isInstanceOf(StringIndexOutOfBoundsException.class);
        assertThatThrownBy(() -> fair.addAfter("no flow", Duration.ofSeconds(1)))
                .isInstanceOf(StringIndexOutOfBoundsException.class);
        assertThat(fair.size() + fair.delayed() + time.scheduledTasks()).isZero();
        fair.add("a/b");
        assertThat(takeSome(fair, 1)).containsExactly("a/b");
        fair.close();
    }

    @Test
    void countsTheTimeWithAWorkerFromTheFirstLookWithoutMeters() throws InterruptedException {
        PriorityWorkQueue<String> plain =
                PriorityWorkQueue.<String>named("plain").clock(time).timer(time).build();
        plain.add("foo");
        plain.take();
        time.advance(Duration.ofSeconds(3));
        assertThat(plain.snapshot().processing()).isEqualTo(Map.of("foo", Duration.ZERO));
        time.advance(Duration.ofSeconds(2));
        assertThat(plain.snapshot().processing()).isEqualTo(Map.of("foo", Duration.ofSeconds(2)));
        plain.done("foo");
        plain.add("foo");
        plain.take();
        assertThat(plain.snapshot().processing()).isEqualTo(Map.of("foo", Duration.ZERO));
        plain.close();
    }

    @Test
    void listsWhatMattersMost() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            queue.add("worked on " + i);
            queue.take();
            time.advance(Duration.ofMillis(1));
        }
        for (int i = 0; i < 20; i++) {
            int seconds = 1 + i * 7 % 20; // in no order, so that the heap has something to do
            queue.addAfter("in " + seconds + " s", Duration.ofSeconds(seconds));
        }
        QueueSnapshot<String> snapshot = queue.snapshot(3);
        assertThat(snapshot.processing().keySet()).containsExactly("worked on 0", "worked on 1", "worked on 2");
        assertThat(snapshot.processing()).containsEntry("worked on 0", Duration.ofMillis(20));
        assertThat(snapshot.processingKeys()).isEqualTo(20);
        assertThat(snapshot.delayed().keySet()).containsExactly("in 1 s", "in 2 s", "in 3 s");
        assertThat(snapshot.delayed()).containsEntry("in 3 s", Duration.ofSeconds(3));
        assertThat(snapshot.delayedKeys()).isEqualTo(20);
        assertThat(List.copyOf(queue.snapshot(100).delayed().values()))
                .hasSize(20)
                .isSorted();

        for (int failures : new int[] {2, 5, 1, 4, 3}) {
            for (int i = 0; i < failures; i++) {
                queue.addRateLimited("failed " + failures + " times");
            }
        }
        assertThat(queue.snapshot(3).retries().keySet())
                .containsExactly("failed 5 times", "failed 4 times", "failed 3 times");
        assertThat(queue.snapshot(3).retriedKeys()).isEqualTo(5);
        QueueSnapshot<String> none = queue.snapshot(0);
        assertThat(none.processing()).isEmpty();
        assertThat(none.delayed()).isEmpty();
        assertThat(none.retries()).isEmpty();
        assertThatThrownBy(() -> queue.snapshot(-1)).hasMessageContaining("-1");
    }

    @Test
    void refusesNonsense() {
        assertThatThrownBy(() -> PriorityWorkQueue.named("")).hasMessageContaining("name");
        assertThatThrownBy(() -> PriorityWorkQueue.named("foo").build()).hasMessageContaining("foo");
        assertThatThrownBy(() -> PriorityWorkQueue.named("foo").agingInterval(1))
                .hasMessageContaining("1");
    }

    private PriorityWorkQueue<String> fairQueue() {
        return PriorityWorkQueue.<String>named("fair")
                .clock(time)
                .timer(time)
                .agingInterval(4)
                .fairness(key -> key.substring(0, key.indexOf('/')))
                .build();
    }

    private static List<String> takeSome(WorkQueue<String> from, int number) throws InterruptedException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String key = Objects.requireNonNull(from.take());
            keys.add(key);
            from.done(key);
        }
        return keys;
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

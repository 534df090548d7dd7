package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.EventSource;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A divided controller's shards are opened and closed one by one, while its workers go on. */
class ControllerShardsTest extends ControllerFixture {

    private static final ControllerOptions FOUR_WORKERS = UNLIMITED.withWorkers(4);

    /** With two shards; keys are called a… and b… by their shard. */
    private final Shards halves = new Shards(2, Shards.By.NAME);

    private final Map<String, String> uids = new ConcurrentHashMap<>();

    private ControllerBuilder divided() {
        return builder(FOUR_WORKERS).shards(halves, key -> null, key -> true);
    }

    /** A name in that shard, the same one each time. */
    private String name(int shard, int number) {
        int found = 0;
        for (int i = 0; ; i++) {
            String name = "key-" + i;
            if (halves.of("default", name, null) == shard && found++ == number) {
                return name;
            }
        }
    }

    private void enqueue(Controller controller, String... names) {
        for (String name : names) {
            controller.enqueue(key(name), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        }
    }

    private static CompletableFuture<Boolean> drain(Controller controller, int shard, Duration limit) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return controller.shards().get(shard).drain(limit);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void keysOfAClosedShardAreRememberedAndComeWhenItIsOpened() {
        Controller controller = start(divided());
        controller.shards().get(0).open();
        enqueue(controller, name(1, 0), name(0, 0));
        eventually(() -> assertThat(reconciled).containsExactly(name(0, 0)));
        assertThat(queue.size()).isZero();

        controller.shards().get(1).open();
        eventually(() -> assertThat(reconciled).containsExactly(name(0, 0), name(1, 0)));
    }

    @Test
    void eachShardRemembersItsPartOfAllKeys() {
        Controller controller = controller(divided());
        controller.pause(true);
        for (int i = 0; i < 2 * Shard.REMEMBERED; i++) {
            controller.enqueue(key("many-" + i), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        }
        controller.shards().get(0).open();
        assertThat(queue.size()).isEqualTo(Shard.REMEMBERED / 2);
        controller.shards().get(1).open();
        assertThat(queue.size()).isEqualTo(Shard.REMEMBERED);
    }

    @Test
    void aKeyThatIsQueuedWhenItsShardIsClosedIsSetAsideAndForgotten() {
        behaviours.put(name(0, 0), request -> {
            throw new IllegalStateException("not yet");
        });
        Controller controller = controller(divided());
        controller.shards().get(0).open();
        controller.shards().get(1).open();
        Work.begin(controller);
        enqueue(controller, name(0, 0));
        // The failure is counted before the key waits.
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        controller.shards().get(0).close();
        time.advance(Duration.ofSeconds(2));

        eventually(() -> assertThat(queue.snapshot().retries()).doesNotContainKey(key(name(0, 0))));
        waitUntilSettled();
        assertThat(controller.snapshot().failing()).isZero();
        assertThat(queue.size() + queue.delayed()).isZero();
        behaviours.clear();
        controller.shards().get(0).open();
        eventually(() -> assertThat(count(name(0, 0))).isEqualTo(2));
    }

    @Test
    void aDrainWaitsForItsOwnShardOnlyAndKeysOfOthersGoOn() throws Exception {
        behaviours.put(name(0, 0), request -> waitUninterruptibly());
        Controller controller = start(divided());
        controller.shards().get(0).open();
        controller.shards().get(1).open();
        enqueue(controller, name(0, 0));
        waitForReconciles(1);
        controller.shards().get(0).close();
        CompletableFuture<Boolean> drain = drain(controller, 0, Duration.ofMinutes(1));
        enqueue(controller, name(0, 1), name(1, 0), name(1, 1));

        eventually(() -> assertThat(reconciled).contains(name(1, 0), name(1, 1)));
        assertThat(drain.isDone()).isFalse();
        assertThat(controller.shards().get(1).isOpen()).isTrue();
        assertThat(reconciled).doesNotContain(name(0, 1));
        release.countDown();
        assertThat(Waiting.on(drain)).isTrue();
        assertThat(reconciled).doesNotContain(name(0, 1));
    }

    @Test
    void atTheLimitReconcilesOfThatShardAloneAreInterruptedAndTheirKeysRemembered() throws Exception {
        List<String> interrupted = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int shard = 0; shard < 2; shard++) {
            behaviours.put(name(shard, 0), request -> {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    interrupted.add(request.getName());
                    throw new IllegalStateException(e);
                }
                return DONE;
            });
        }
        Controller controller = start(divided());
        controller.shards().get(0).open();
        controller.shards().get(1).open();
        enqueue(controller, name(0, 0), name(1, 0));
        waitForReconciles(2);
        controller.shards().get(0).close();
        CompletableFuture<Boolean> drain = drain(controller, 0, Duration.ofSeconds(30));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        time.advance(Duration.ofSeconds(30));

        assertThat(Waiting.on(drain)).isTrue();
        assertThat(interrupted).containsExactly(name(0, 0));
        assertThat(controller.shards().get(1).isIdle()).isFalse();
        eventually(() -> assertThat(queue.size() + queue.delayed()).isZero());
        assertThat(controller.snapshot().errors()).isZero();
        behaviours.remove(name(0, 0));
        controller.shards().get(0).open();
        eventually(() -> assertThat(count(name(0, 0))).isEqualTo(2));
    }

    @Test
    void aDrainThatIsOvertakenByAnOpeningEndsAtOnceAndInterruptsNothing() throws Exception {
        behaviours.put(name(0, 0), request -> waitUntilInterrupted());
        Controller controller = start(divided());
        controller.shards().get(0).open();
        enqueue(controller, name(0, 0));
        waitForReconciles(1);
        controller.shards().get(0).close();
        CompletableFuture<Boolean> drain = drain(controller, 0, Duration.ofSeconds(30));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        controller.shards().get(0).open();

        assertThat(Waiting.on(drain)).isTrue();
        time.advance(Duration.ofSeconds(30));
        assertThat(controller.shards().get(0).isIdle()).isFalse();
        release.countDown();
        eventually(() -> assertThat(controller.snapshot().reconciles()).isEqualTo(1));
    }

    @Test
    void aDrainOfAShardThatIsOpenAgainLeavesItsReconcilesAlone() throws Exception {
        behaviours.put(name(0, 0), request -> waitUntilInterrupted());
        Controller controller = start(divided());
        controller.shards().get(0).open();
        enqueue(controller, name(0, 0));
        waitForReconciles(1);

        assertThat(controller.shards().get(0).drain(Duration.ZERO)).isTrue();
        assertThat(controller.shards().get(0).hasGivenUp()).isFalse();
        release.countDown();
        eventually(() -> assertThat(controller.snapshot().reconciles()).isEqualTo(1));
    }

    @Test
    void aWorkerThatIsAtTheGateWhenItsShardIsClosedBeginsNothing() throws Exception {
        CountDownLatch atGate = new CountDownLatch(1);
        Controller controller = start(divided().term(shard -> {
            atGate.countDown();
            waitUninterruptibly();
            return true;
        }));
        controller.shards().get(0).open();
        enqueue(controller, name(0, 0));
        Waiting.on(atGate);
        controller.shards().get(0).close();
        assertThat(controller.shards().get(0).isIdle()).isTrue();
        release.countDown();

        waitUntilSettled();
        assertThat(reconciled).isEmpty();
        controller.shards().get(0).open();
        eventually(() -> assertThat(reconciled).containsExactly(name(0, 0)));
    }

    @Test
    void aShardWhoseLeaseIsNotProvenHoldsBackNoOtherKeys() {
        AtomicBoolean proven = new AtomicBoolean();
        List<Integer> lapsed = new java.util.concurrent.CopyOnWriteArrayList<>();
        ReconcileTerm term = new ReconcileTerm() {
            @Override
            public boolean lasts(int shard) {
                return shard == 1 || proven.get();
            }

            @Override
            public void lapsed(int shard) {
                lapsed.add(shard);
            }
        };
        Controller controller = start(
                builder(UNLIMITED).shards(halves, key -> null, key -> true).term(term));
        controller.shards().get(0).open();
        controller.shards().get(1).open();
        enqueue(controller, name(0, 0), name(1, 0));
        eventually(() -> assertThat(reconciled).containsExactly(name(1, 0)));
        eventually(() -> assertThat(controller.shards().get(0).isOpen()).isFalse());
        assertThat(controller.shards().get(1).isOpen()).isTrue();
        eventually(() -> assertThat(lapsed).containsExactly(0));
        proven.set(true);
        controller.shards().get(0).open();
        eventually(() -> assertThat(reconciled).containsExactly(name(1, 0), name(0, 0)));
    }

    /** Whatever a worker is just doing: once a shard is closed, none of its reconciles begins. */
    @Test
    void closingIsABarrier() throws Exception {
        AtomicBoolean closed = new AtomicBoolean(true);
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger right = new AtomicInteger();
        Controller controller = controller(builder(FOUR_WORKERS, request -> {
                    (closed.get() ? wrong : right).incrementAndGet();
                    return new Result(false);
                })
                .shards(halves, key -> null, key -> true));
        AtomicBoolean over = new AtomicBoolean();
        CyclicBarrier start = new CyclicBarrier(2);
        CompletableFuture<Void> feeding = CompletableFuture.runAsync(() -> {
            try {
                start.await();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            for (int i = 0; !over.get(); i++) {
                controller.enqueue(key(name(0, i % 8)), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
            }
        });
        start.await();
        for (int round = 0; round < 300; round++) {
            closed.set(false);
            controller.shards().get(0).open();
            int before = right.get();
            eventuallyMore(right, before);
            controller.shards().get(0).close();
            assertThat(controller.shards().get(0).drain(Duration.ofMinutes(1))).isTrue();
            closed.set(true);
        }
        over.set(true);
        Waiting.on(feeding);

        assertThat(wrong).hasValue(0);
        assertThat(right.get()).isGreaterThanOrEqualTo(300);
    }

    private static void eventuallyMore(AtomicInteger count, int than) {
        while (count.get() <= than) {
            Thread.onSpinWait();
        }
    }

    @Test
    void byUidADeletedObjectsKeyIsFoundInItsShardUntilItHasBeenDealtWith() {
        Shards byUid = new Shards(2, Shards.By.UID);
        Controller controller = start(builder(UNLIMITED).shards(byUid, this::uid, key -> true));
        EventSubscriber<V1ConfigMap> subscriber = subscriber(controller);
        V1ConfigMap object = new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name("x").uid("some-uid"));
        int shard = byUid.of("default", "x", "some-uid");
        controller.shards().get(shard).open();
        enqueue(controller, "x");
        assertThat(controller.shardOf(key("x"))).isNull();
        uids.put("x", "some-uid");
        subscriber.onEvent(new ResourceEvent.Created<>(object, false));
        eventually(() -> assertThat(reconciled).containsExactly("x"));
        uids.clear();
        behaviours.put("x", request -> {
            throw new IllegalStateException("not yet");
        });
        subscriber.onEvent(new ResourceEvent.Deleted<>(object, false));

        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        waitUntilSettled();
        assertThat(controller.shardOf(key("x"))).isSameAs(controller.shards().get(shard));
        assertThat(controller.shardOf(key("y"))).isNull();
        behaviours.put("x", request -> waitUninterruptibly());
        time.advance(Duration.ofSeconds(2));
        eventually(() -> assertThat(reconciled).containsExactly("x", "x", "x"));
        subscriber.onEvent(new ResourceEvent.Deleted<>(object, false));
        behaviours.clear();
        release.countDown();
        // The reconcile that ran did not know of the second deletion.
        eventually(() -> assertThat(reconciled).containsExactly("x", "x", "x", "x"));
        waitUntilSettled();
        assertThat(controller.shardOf(key("x"))).isNull();
        enqueue(controller, "x");
        waitUntilSettled();
        assertThat(reconciled).hasSize(4);
    }

    @Test
    void aDeletionIsForgottenOnceTheNameIsBorneByAnotherObject() {
        Shards byUid = new Shards(64, Shards.By.UID);
        Controller controller = controller(builder(UNLIMITED).shards(byUid, this::uid, key -> true));
        Shard first = controller.shards().get(byUid.of("default", "x", "first"));
        V1ConfigMap object = new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name("x").uid("first"));
        subscriber(controller).onEvent(new ResourceEvent.Deleted<>(object, false));
        assertThat(controller.shardOf(key("x"))).isSameAs(first);
        uids.put("x", "first");
        assertThat(controller.shardOf(key("x"))).isSameAs(first);
        uids.clear();
        assertThat(controller.shardOf(key("x"))).as("what was found was old").isSameAs(first);
        uids.put("x", "second");
        assertThat(controller.shardOf(key("x"))).isSameAs(controller.shards().get(byUid.of("default", "x", "second")));
        uids.clear();
        assertThat(controller.shardOf(key("x"))).isNull();
    }

    private static EventSubscriber<V1ConfigMap> subscriber(Controller controller) {
        return controller.subscriberFor(new EventSource<>(
                Selection.of(io.controllermanager.client.ResourceType.namespaced(
                        V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps")),
                RequestMappers.self(),
                event -> true,
                EventSource.Relation.PRIMARY));
    }

    private @Nullable String uid(Request key) {
        return uids.get(key.getName());
    }

    @Test
    void aReplayOfOneShardQueuesNoKeysOfOthers() {
        Controller controller = controller(divided());
        controller.pause(true);
        controller.shards().get(0).open();
        controller.shards().get(1).open();
        var replay = controller.subscriberFor(
                new EventSource<>(
                        Selection.of(io.controllermanager.client.ResourceType.namespaced(
                                V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps")),
                        object -> new ArrayList<>(List.of(key(name(0, 0)), key(name(1, 0))))
                                .stream().collect(java.util.stream.Collectors.toSet()),
                        event -> true),
                shard -> shard == 1);
        replay.onEvent(new ResourceEvent.Created<>(
                new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("default").name("any")),
                true));

        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.depthByPriority()).containsEntry(WorkQueue.LOW_PRIORITY, 1);
    }
}

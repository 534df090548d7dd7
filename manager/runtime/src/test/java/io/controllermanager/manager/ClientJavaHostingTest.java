package io.controllermanager.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ClientJavaController;
import io.controllermanager.leaderelection.LeaderElectionConfig;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeaseStore;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.extended.workqueue.DefaultRateLimitingQueue;
import io.kubernetes.client.extended.workqueue.RateLimitingQueue;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Controllers that were built for client-java, in our host. */
class ClientJavaHostingTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final LeaseStore store = new LeaseStore();
    private final LeaseStore.Lock lock = store.lock("me");
    private final ExecutorService queueThreads = Executors.newCachedThreadPool();
    private final RateLimitingQueue<Request> queue = new DefaultRateLimitingQueue<>(queueThreads);
    private final AtomicBoolean cachesReady = new AtomicBoolean(true);
    private final CountDownLatch ended = new CountDownLatch(1);
    private ControllerManager manager = host(List.of());

    @AfterEach
    void end() {
        // Before the host's stop, which a shutdown that blocks must not keep from ending, but would if it were broken.
        ended.countDown();
        manager.stop();
        queueThreads.shutdownNow();
        await().pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("controller-manager-")));
    }

    @Test
    void aDefaultControllersKeysAreReconciledOnOurWorkersUnderLeadership() {
        DefaultController controller = defaultController("Node Printer");
        queue.add(new Request("ns", "before"));
        lock.failWith("timeout");
        start(controller);
        assertThat(manager.controllers().get(0).name()).isEqualTo("node-printer");
        assertThat(manager.controllers().get(0).workers()).isEqualTo(3);
        awaitState(ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> queue.length() == 0);
        assertThat(log).isEmpty();
        lock.failWith(null);
        awaitState(ControllerState.RUNNING);
        queue.add(new Request("ns", "after"));

        await().untilAsserted(() -> assertThat(log).contains("before", "after"));
        manager.stop();
        assertThat(controller.getWorkerCount()).isEqualTo(3);
        queue.add(new Request("ns", "while stopped"));
        log.clear();
        manager.start();
        await().untilAsserted(() -> {
            time.advance(Duration.ofMillis(100));
            assertThat(log).contains("while stopped");
        });
    }

    @Test
    void runOfAHostedControllerStartsNoSecondSetOfWorkers() {
        DefaultController controller = defaultController("printer");
        controller.setWorkerThreadPool(Executors.newScheduledThreadPool(1));
        start(controller);
        awaitState(ControllerState.RUNNING);
        controller.run();

        controller.getWorkerThreadPool().shutdownNow();
        queue.add(new Request("ns", "a"));
        await().untilAsserted(() -> assertThat(log).containsExactly("a"));
    }

    @Test
    void itsReadyFunctionsAreWaitedFor() {
        cachesReady.set(false);
        start(defaultController("printer"));
        awaitState(ControllerState.WAITING_FOR_CACHES);
        assertThat(manager.readiness().reasons()).containsExactly("controller printer: caches are not synced");
        cachesReady.set(true);
        awaitState(ControllerState.RUNNING);
    }

    @Test
    void afterALossEveryKeyThatEverCameComesAgain() {
        start(defaultController("printer"));
        awaitState(ControllerState.RUNNING);
        queue.add(new Request("ns", "a"));
        queue.add(new Request("ns", "b"));
        await().untilAsserted(() -> assertThat(log).containsExactlyInAnyOrder("a", "b"));
        lock.failWith("timeout");
        awaitState(ControllerState.WAITING_FOR_LEADERSHIP);
        log.clear();
        lock.failWith(null);
        awaitState(ControllerState.RUNNING);

        await().untilAsserted(() -> assertThat(log).containsExactlyInAnyOrder("a", "b"));
    }

    @Test
    void anotherImplementationIsRunWhileLeadingAndCannotComeBack() {
        Controller own = new Controller() {
            @Override
            public void run() {
                log.add("run");
                try {
                    ended.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void shutdown() {
                log.add("shutdown");
                ended.countDown();
            }
        };
        List<String> ends = new CopyOnWriteArrayList<>();
        manager = builder()
                .onUnrestartable(() -> ends.add("end"))
                .onLeadershipLost(() -> ends.add("lost"))
                .controller(ControllerRegistration.of(ClientJavaController.of(own, "ownController")))
                .build();
        manager.start();
        awaitState(ControllerState.RUNNING);
        await().until(() -> log.contains("run"));
        lock.failWith("timeout");
        awaitState(ControllerState.FAILED);

        assertThat(manager.controllers().get(0).name()).isEqualTo("owncontroller");
        await().untilAsserted(() -> assertThat(ends).containsExactly("end"));
        assertThat(log).containsExactly("run", "shutdown");
        assertThat(manager.readiness().healthy()).isFalse();
    }

    @Test
    void oneThatCannotBeShutDownDoesNotKeepTheOthersFromLearningOfALoss() {
        List<String> ends = new CopyOnWriteArrayList<>();
        hostBeside(
                () -> {
                    throw new IllegalStateException("no");
                },
                ends);
        lock.failWith("timeout");
        awaitState(ControllerState.FAILED);

        // Told next, on the same thread.
        await().untilAsserted(() ->
                assertThat(manager.controllers().get(1).state()).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));
        await().untilAsserted(() -> assertThat(ends).containsExactly("end"));
        // It is interrupted instead.
        await().untilAsserted(() -> assertThat(log).containsExactly("run", "interrupted"));
    }

    @Test
    @Timeout(30)
    void oneWhoseShutdownBlocksHoldsNeitherTheOthersNorHealthUp() {
        List<String> ends = new CopyOnWriteArrayList<>();
        hostBeside(
                () -> {
                    log.add("shutdown");
                    try {
                        ended.await();
                    } catch (InterruptedException e) {
                        log.add("given up");
                    }
                },
                ends);
        lock.failWith("timeout");
        awaitState(ControllerState.FAILED);

        // Told next, on the same thread.
        await().untilAsserted(() ->
                assertThat(manager.controllers().get(1).state()).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));
        await().untilAsserted(() -> assertThat(ends).containsExactly("end"));
        await().untilAsserted(() -> assertThat(log).containsExactly("run", "shutdown"));
        assertThat(manager.liveness().healthy()).isTrue();
        assertThat(manager.readiness().reasons())
                .containsExactly("controller own: was shut down because leadership was lost, and cannot be run again in"
                        + " this process");
        manager.stop();
        await().untilAsserted(() -> assertThat(log).contains("given up", "interrupted"));
    }

    /** Runs a controller with its own workers, and one of ours that is told of leadership after it. */
    private void hostBeside(Runnable shutdown, List<String> ends) {
        Controller own = new Controller() {
            @Override
            public void run() {
                log.add("run");
                try {
                    ended.await();
                } catch (InterruptedException e) {
                    log.add("interrupted");
                }
            }

            @Override
            public void shutdown() {
                shutdown.run();
            }
        };
        manager = builder()
                .onUnrestartable(() -> ends.add("end"))
                .controller(ControllerRegistration.of(ClientJavaController.of(own, "own")))
                .controller(ControllerRegistration.of(ClientJavaController.of(defaultController("printer"), "printer")))
                .build();
        manager.start();
        awaitState(ControllerState.RUNNING);
        await().until(() -> log.contains("run"));
        await().until(() -> manager.controllers().get(1).state() == ControllerState.RUNNING);
    }

    @SuppressWarnings({"unchecked", "varargs"})
    private DefaultController defaultController(String name) {
        DefaultController controller = new DefaultController(
                name,
                request -> {
                    log.add(request.getName());
                    return new Result(false);
                },
                queue,
                cachesReady::get);
        controller.setWorkerCount(3);
        return controller;
    }

    private void start(Controller controller) {
        manager = host(List.of(ControllerRegistration.of(ClientJavaController.of(controller, "fallback"))));
        manager.start();
    }

    private ControllerManager host(List<ControllerRegistration> controllers) {
        return builder().controllers(controllers).build();
    }

    private ControllerManager.Builder builder() {
        return ControllerManager.builder()
                .apiClient(new ApiClient())
                .cluster(new FakeCluster(new CopyOnWriteArrayList<>()))
                .leaderElector(new LeaderElector(
                        LeaderElectionConfig.of("ns", "lease").withIdentity("me"),
                        lock,
                        time,
                        time,
                        new SimpleMeterRegistry()))
                .clock(time)
                .timer(time)
                .shutdownTimeout(Duration.ofSeconds(1))
                .eventRecorders(name -> NO_EVENTS);
    }

    private void awaitState(ControllerState expected) {
        await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
            // Slowly enough for the elector's thread to renew in between.
            time.advance(Duration.ofMillis(50));
            assertThat(manager.controllers().get(0).state()).isEqualTo(expected);
        });
    }

    private static final EventRecorder NO_EVENTS = new EventRecorder() {
        @Override
        public void normal(KubernetesObject regarding, String reason, String note) {}

        @Override
        public void warning(KubernetesObject regarding, String reason, String note) {}
    };
}

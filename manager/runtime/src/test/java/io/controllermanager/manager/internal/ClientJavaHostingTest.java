package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.clientjava.internal.ClientJavaController;
import io.controllermanager.testing.support.Undeclared;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.extended.workqueue.DefaultRateLimitingQueue;
import io.kubernetes.client.extended.workqueue.RateLimitingQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Controllers that were built for client-java, in our host. */
class ClientJavaHostingTest extends ControllerManagerFixture {

    private final ExecutorService queueThreads = Executors.newCachedThreadPool();
    private final RateLimitingQueue<Request> queue = new DefaultRateLimitingQueue<>(queueThreads);
    private final AtomicBoolean cachesReady = new AtomicBoolean(true);
    private final CountDownLatch ended = new CountDownLatch(1);
    private ControllerManager manager = build(builder(elector()));

    @Override
    @AfterEach
    void end() {
        // Before the host's stop, which a shutdown that blocks must not keep from ending, but would if it were broken.
        ended.countDown();
        super.end();
        queueThreads.shutdownNow();
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
        awaitPassing(() -> assertThat(log).contains("while stopped"));
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
        // Twice, if it comes before what was seen so far has been queued again.
        await().untilAsserted(() -> assertThat(log).containsOnly("a"));
    }

    @Test
    void itsReadyFunctionsAreWaitedFor() {
        cachesReady.set(false);
        start(defaultController("printer"));
        awaitState(ControllerState.WAITING_FOR_CACHES);
        assertThat(manager.readiness(false).reasons()).containsExactly("controller printer: caches are not synced");
        cachesReady.set(true);
        awaitState(ControllerState.RUNNING);
    }

    @Test
    void afterALossEveryKeyThatEverCameComesAgain() {
        start(defaultController("printer"));
        awaitState(ControllerState.RUNNING);
        queue.add(new Request("ns", "a"));
        queue.add(new Request("ns", "b"));
        await().untilAsserted(() -> assertThat(log).contains("a", "b"));
        lock.failWith("timeout");
        awaitState(ControllerState.WAITING_FOR_LEADERSHIP);
        log.clear();
        lock.failWith(null);
        awaitState(ControllerState.RUNNING);

        // At least once.
        await().untilAsserted(() -> assertThat(log).containsOnly("a", "b"));
    }

    @Test
    void anotherImplementationIsRunWhileLeadingAndCannotComeBack() {
        ForeignController own = new ForeignController(log, "", ended, () -> {
            log.add("shutdown");
            ended.countDown();
        });
        List<String> ends = new CopyOnWriteArrayList<>();
        host(
                builder(elector()).onUnrestartable(() -> ends.add("end")).onLeadershipLost(() -> ends.add("lost")),
                own.registration("ownController"));
        awaitState(ControllerState.RUNNING);
        await().until(() -> log.contains("run"));
        lock.failWith("timeout");
        awaitState(ControllerState.FAILED);

        assertThat(manager.controllers().get(0).name()).isEqualTo("owncontroller");
        await().untilAsserted(() -> assertThat(ends).containsExactly("end"));
        assertThat(log).containsExactly("run", "shutdown");
        assertThat(manager.readiness(false).healthy()).isFalse();
    }

    @Test
    void oneThatCannotBeShutDownDoesNotKeepTheOthersFromLearningOfALoss() {
        List<String> ends = new CopyOnWriteArrayList<>();
        hostBeside(
                Waiting.LIMIT,
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
    void oneWhoseShutdownBlocksHoldsNeitherTheOthersNorHealthUp() {
        List<String> ends = new CopyOnWriteArrayList<>();
        hostBeside(
                Duration.ofMillis(50),
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
        assertThat(manager.readiness(false).reasons())
                .containsExactly("controller own: was shut down because leadership was lost, and cannot be run again in"
                        + " this process");
        manager.stop();
        await().untilAsserted(() -> assertThat(log).contains("given up", "interrupted"));
    }

    @Test
    void oneThatEndsByWhatItDoesNotDeclareHasFailed() {
        host(
                builder(elector()),
                ClientJavaController.of(
                                new Controller() {
                                    @Override
                                    public void run() {
                                        Undeclared.thrown(new TimeoutException("not declared"));
                                    }

                                    @Override
                                    public void shutdown() {}
                                },
                                "kotlin")
                        .registration());

        awaitState(ControllerState.FAILED);
        assertThat(manager.controllers().get(0).detail()).contains("has ended and cannot be run again");
    }

    @Test
    void oneThatAnOperatorHasStoppedIsNotLostWithLeadership() {
        List<String> ends = new CopyOnWriteArrayList<>();
        hostBeside(Waiting.LIMIT, ended::countDown, ends);
        manager.stopController("own");
        lock.failWith("timeout");
        awaitPassing(() ->
                assertThat(manager.controllers().get(1).state()).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP));

        await().untilAsserted(() -> assertThat(ends).containsExactly("lost"));
    }

    /** Runs a controller with its own workers, and one of ours that is told of leadership after it. */
    private void hostBeside(Duration shutdownTimeout, Runnable shutdown, List<String> ends) {
        host(
                builder(elector())
                        .shutdownTimeout(shutdownTimeout)
                        .onUnrestartable(() -> ends.add("end"))
                        .onLeadershipLost(() -> ends.add("lost")),
                new ForeignController(log, "", ended, shutdown).registration("own"),
                ClientJavaController.of(defaultController("printer"), "printer").registration());
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
        host(builder(elector()), ClientJavaController.of(controller, "fallback").registration());
    }

    private void host(HostBuilder builder, ControllerRegistration... controllers) {
        manager = build(builder, controllers);
        manager.start();
    }

    private void awaitState(ControllerState expected) {
        awaitPassing(() -> assertThat(manager.controllers().get(0).state()).isEqualTo(expected));
    }
}

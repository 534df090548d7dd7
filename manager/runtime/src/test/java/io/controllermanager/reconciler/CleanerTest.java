package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A clean-up that takes its time. */
class CleanerTest {

    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("clean");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);

    /** Ends each clean-up as it is told. */
    private static final class Slow implements ObjectReconciler<Gadget>, Cleaner<Gadget> {

        final AtomicInteger cleanups = new AtomicInteger();
        volatile Outcome outcome = Outcome.done();

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) {
            return Outcome.ready("Made", "");
        }

        @Override
        public Outcome cleanup(Gadget gadget, Reconciliation<Gadget> r) {
            cleanups.incrementAndGet();
            return outcome;
        }
    }

    @BeforeEach
    void create() throws ApiException {
        Gadget.install(server.client());
        gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RunningHost run(Slow reconciler) {
        RunningHost host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler), time);
        await().until(() -> {
            time.advance(Duration.ofMillis(10)); // The start waits for the caches by the timer.
            return reason().equals("Made");
        });
        return host;
    }

    private String reason() throws ApiException {
        V1Condition ready = Conditions.of(gadgets.get(namespace, "g"), "Ready");
        return ready == null ? "" : ready.getReason();
    }

    @Test
    void keepsTheFinalizerUntilItIsDone() throws ApiException {
        Slow reconciler = new Slow();
        try (RunningHost host = run(reconciler)) {
            reconciler.outcome =
                    Outcome.progressing("Draining", "3 connections are open").again(AGAIN);
            gadgets.delete(namespace, "g");
            await().until(() -> reason().equals("Draining"));
            await().until(() -> host.status().delayed() == 1);
            assertThat(gadgets.get(namespace, "g").getMetadata().getFinalizers())
                    .containsExactly("example.com/gadget");

            int before = reconciler.cleanups.get();
            reconciler.outcome = Outcome.done();
            time.advance(AGAIN);
            await().until(() -> gadgets.get(namespace, "g") == null);
            assertThat(reconciler.cleanups).hasValue(before + 1);
        }
    }

    @Test
    void isNotOverWhileItAsksToComeAgainOrIsNotReady() {
        assertThat(List.of(Outcome.done(), Outcome.ready("Gone", ""))).allMatch(Outcome::isFinished);
        assertThat(List.of(
                        Outcome.retry(),
                        Outcome.done().again(AGAIN),
                        Outcome.ready("Gone", "").again(AGAIN),
                        Outcome.progressing("Going", ""),
                        Outcome.blocked("InUse", "")))
                .noneMatch(Outcome::isFinished);
    }
}

package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A status that is written before the reconcile has come to its end. */
class EarlyStatusTest {

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("early");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);

    /** Writes its status early, and notes what comes of that. */
    private static final class Early implements ObjectReconciler<Gadget> {

        private final boolean errorCondition;
        private final Outcome outcome;
        private final List<String> notes = new ArrayList<>();
        private int parts;

        Early(boolean errorCondition, Outcome outcome) {
            this.errorCondition = errorCondition;
            this.outcome = outcome;
        }

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            if (!errorCondition) {
                d.withoutErrorCondition();
            }
        }

        @Override
        public synchronized Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            try {
                boolean said = r.status(new Gadget.Status(null, parts, null)).writeStatus();
                assertThat(r.changed()).isEqualTo(said);
                notes.add(said ? "written" : "as it was");
            } catch (IllegalStateException e) {
                notes.add(String.valueOf(e.getMessage()));
            }
            return outcome;
        }

        synchronized void nextHas(int newParts) {
            parts = newParts;
        }

        synchronized List<String> notes() {
            return List.copyOf(notes);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RunningHost run(Early reconciler) throws ApiException {
        Gadget.install(server.client());
        gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
        return new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler));
    }

    @Test
    void saysWhetherTheObjectHasChanged() throws ApiException {
        Early reconciler = new Early(false, Outcome.done());
        try (RunningHost host = run(reconciler)) {
            long done = 0;
            host.awaitIdle(++done);
            for (int parts : new int[] {0, 1, 1}) {
                reconciler.nextHas(parts);
                host.reconcile(new Request(namespace, "g"));
                host.awaitIdle(++done);
            }
            assertThat(reconciler.notes()).containsExactly("written", "as it was", "written", "as it was");
        }
    }

    @Test
    void takesBackWhatAFormerVersionSaidOfAFailure() throws ApiException {
        Early reconciler = new Early(false, Outcome.done());
        try (RunningHost host = run(reconciler)) {
            host.awaitIdle(1);
            gadgets.patchStatus(namespace, "g", new Patch.Merge("""
                            {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Forbidden",
                             "message": "reconcile failed: no", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}"""));
            await().until(() -> {
                host.reconcile(new Request(namespace, "g"));
                return Conditions.of(gadgets.get(namespace, "g"), "Ready") == null;
            });
        }
    }

    /** Each would have {@code Ready} lost, or go to and fro. */
    @ParameterizedTest
    @CsvSource({
        "true,  controller \"gadget\" must say withoutErrorCondition() in its description to call writeStatus()",
        "false, controller \"gadget\" must not call writeStatus() and return an outcome that sets the condition Ready"
    })
    void doesNotGoWithAConditionThatComesLater(boolean errorCondition, String error) throws ApiException {
        Early reconciler = new Early(errorCondition, errorCondition ? Outcome.done() : Outcome.ready("Made", ""));
        try (RunningHost host = run(reconciler)) {
            await().until(() -> reconciler.notes().stream().anyMatch(note -> note.startsWith(error))
                    || String.valueOf(host.status()).contains(error));
        }
    }
}

package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.testing.apiserver.ApiServer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A status that is written before the reconcile has come to its end. */
class EarlyStatusTest {

    /** Says early that all is well, and then fails, or does not. */
    private static final class Early implements ObjectReconciler<Gadget> {

        volatile boolean fails;
        volatile int parts;
        volatile boolean said;

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            r.status(new Gadget.Status(null, parts, null)).condition("Ready", true, "Made", "");
            said = r.writeStatus();
            assertThat(r.changed()).isEqualTo(said);
            if (fails) {
                // Not tried again by itself.
                throw new TerminalException("the disk is full");
            }
            return Outcome.done();
        }
    }

    /**
     * Each reconcile: {@code ok} or {@code fail}, with {@code +} if the status has something new to say. What comes of it: how
     * often the status was written, whether {@code writeStatus} said so, and whether the object says that it is ready then.
     */
    @ParameterizedTest
    @CsvSource({
        // It is told, and stays told, what fails each time.
        "ok fail fail fail fail, 1.told.True  1.quiet.False  0.quiet.False  0.quiet.False 0.quiet.False",
        "fail fail fail fail,    1.told.True  1.quiet.False  0.quiet.False  0.quiet.False",
        "fail fail+ fail+ fail,  1.told.True  1.quiet.False  1.quiet.False  0.quiet.False",
        // It heals by one write.
        "fail fail ok ok,        1.told.True  1.quiet.False  1.quiet.True   0.quiet.True",
        "fail fail ok+ ok+,      1.told.True  1.quiet.False  1.quiet.True   1.told.True",
        "ok fail ok fail,        1.told.True  1.quiet.False  1.quiet.True   1.quiet.False",
        "ok ok+ ok,              1.told.True  1.told.True    0.quiet.True",
    })
    void comesToRest(String reconciles, String expected) throws ApiException {
        Early reconciler = new Early();
        try (ApiServer server = ApiServer.start()) {
            new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                    .patch(null, "gadgets.example.com", new Patch.Apply(new Gson().toJson(Gadget.crd()), "test", true));
            String namespace = server.createNamespace("test");
            ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
            StringJoiner outcome = new StringJoiner(" ");
            RunningHost host = null;
            long done = 0;
            for (String each : reconciles.split(" ")) {
                reconciler.fails = each.startsWith("fail");
                if (each.endsWith("+")) {
                    reconciler.parts++;
                }
                if (host == null) {
                    gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
                    host = new RunningHost(
                            server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler));
                } else {
                    host.reconcile(new Request(namespace, "g"));
                }
                host.awaitIdle(++done);
                V1Condition ready = Conditions.of(gadgets.get(namespace, "g"), "Ready");
                outcome.add(statusWrites(host) + "." + (reconciler.said ? "told" : "quiet") + "." + ready.getStatus());
            }
            host.close();
            assertThat(outcome).hasToString(expected.strip().replaceAll(" +", " "));
        }
    }

    /** The one write is spent by then: what the outcome says would be lost. */
    @Test
    void doesNotGoWithAnOutcomeThatSetsReady() throws ApiException {
        try (ApiServer server = ApiServer.start()) {
            new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                    .patch(null, "gadgets.example.com", new Patch.Apply(new Gson().toJson(Gadget.crd()), "test", true));
            String namespace = server.createNamespace("test");
            ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
            gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
            ObjectReconciler<Gadget> both = (gadget, r) -> {
                r.status(new Gadget.Status(null, 1, null)).writeStatus();
                return Outcome.ready("Made", "");
            };
            RunningHost host = new RunningHost(
                    server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, both));
            try {
                await().until(() -> {
                    V1Condition ready = Conditions.of(gadgets.get(namespace, "g"), "Ready");
                    return ready != null && ready.getMessage().contains("must not call writeStatus()");
                });
            } finally {
                host.close();
            }
        }
    }

    /** Those since the last call, Events left out. */
    private static long statusWrites(RunningHost host) {
        return host.writes().stream().filter(write -> write.endsWith("/status")).count();
    }
}

package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.testing.apiserver.ApiServer;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the condition Ready says of a reconcile that fails, and of the ones that come after it. */
class FailureTest {

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("failure");
    private final Request key = new Request(namespace, "g");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);

    /** Fails as it is told, and says nothing of Ready otherwise. */
    private static final class Failing implements ObjectReconciler<Gadget> {

        volatile RuntimeException failure;
        volatile Says says = Says.NOTHING;

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) {
            RuntimeException thrown = failure;
            if (thrown != null) {
                throw thrown;
            }
            return says.say(gadget, r);
        }
    }

    /** How a reconcile that succeeds leaves Ready to others. */
    private enum Says {
        NOTHING,
        TO_TRY_AGAIN {
            @Override
            Outcome say(Gadget gadget, Reconciliation<Gadget> r) {
                return Outcome.retry();
            }
        },
        ANOTHER_CONDITION {
            @Override
            Outcome say(Gadget gadget, Reconciliation<Gadget> r) {
                r.condition("Other", true, "Said", "");
                return Outcome.done();
            }
        },
        A_STATUS {
            @Override
            Outcome say(Gadget gadget, Reconciliation<Gadget> r) {
                r.status(new Gadget.Status(null, 3, null));
                return Outcome.done();
            }
        },
        WHAT_THE_STATUS_HAD {
            @Override
            Outcome say(Gadget gadget, Reconciliation<Gadget> r) {
                Gadget.Status before = gadget.status();
                r.status(new Gadget.Status(null, 3, before == null ? null : before.conditions()));
                return Outcome.done();
            }
        };

        Outcome say(Gadget gadget, Reconciliation<Gadget> r) {
            return Outcome.done();
        }
    }

    @BeforeEach
    void create() throws ApiException {
        new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                .patch(null, "gadgets.example.com", new Patch.Apply(new Gson().toJson(Gadget.crd()), "test", true));
        Awaitility.await()
                .until(() -> new ApiDiscovery(server.client(), Clock.system()).hasStatusSubresource(Gadget.TYPE));
        gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RunningHost run(ObjectReconciler<Gadget> reconciler) {
        return new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler));
    }

    private void reconcile(RunningHost host) {
        long before = host.status().reconciles();
        host.reconcile(key);
        Awaitility.await().until(() -> host.status().reconciles() > before);
    }

    /** As somebody else sets a condition. */
    private void set(String type, String status) throws ApiException {
        gadgets.patchStatus(
                namespace,
                "g",
                new Patch.Merge(
                        "{\"status\":{\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"Said\"}]}}"
                                .formatted(type, status)));
    }

    private void awaitConditions(String... types) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(conditions())
                        .extracting(V1Condition::getType)
                        .containsExactly(types));
    }

    private List<V1Condition> conditions() throws ApiException {
        Gadget.Status status = gadgets.get(namespace, "g").status();
        return status == null || status.conditions() == null ? List.of() : status.conditions();
    }

    @ParameterizedTest
    @EnumSource
    void aReconcileThatSucceedsTakesTheFailureBack(Says says) throws ApiException {
        set("Theirs", "True");
        Failing reconciler = new Failing();
        reconciler.says = says;
        reconciler.failure = new TerminalException("no room");
        try (RunningHost host = run(reconciler)) {
            awaitConditions("Theirs", "Ready");
            reconciler.failure = null;
            reconcile(host);
            awaitConditions(
                    says == Says.ANOTHER_CONDITION ? new String[] {"Theirs", "Other"} : new String[] {"Theirs"});
        }
    }

    /** It may have been replaced because it failed. */
    @Test
    void soDoesAProcessThatComesLater() throws ApiException {
        Failing reconciler = new Failing();
        reconciler.failure = new TerminalException("no room");
        try (RunningHost host = run(reconciler)) {
            host.awaitIdle(1);
            awaitConditions("Ready");
        }
        reconciler.failure = null;
        try (RunningHost host = run(reconciler)) {
            awaitConditions();
            host.writes();
            reconcile(host);
            host.awaitIdle(2);
            assertThat(host.writes()).isEmpty();
        }
    }

    @Test
    void whatAReconcilerOrSomebodyElseSaysOfReadyStays() throws ApiException {
        set("Ready", "False");
        try (RunningHost host = run(new Failing())) {
            host.awaitIdle(1);
            assertThat(host.writes()).isEmpty();
            assertThat(conditions()).extracting(V1Condition::getReason).containsExactly("Said");
        }
    }
}

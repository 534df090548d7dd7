package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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
        Gadget.install(server.client());
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
        Awaitility.await()
                .until(() -> host.status().activeWorkers() + host.status().queueDepth() == 0);
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

    /** Each time the API server answers 500, as where a webhook of the child's type is broken. */
    @Test
    void whatPassesByItselfIsToldOnceItLasts() throws ApiException {
        VirtualTime time = new VirtualTime();
        ObjectReconciler<Gadget> reconciler = new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.owns(ResourceTypes.CONFIG_MAP);
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                r.apply(new V1ConfigMap());
                return Outcome.done();
            }
        };
        server.faults()
                .when(RequestMatcher.verb("patch").resource("configmaps"))
                .respond(500);
        try (RunningHost host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler), time)) {
            Awaitility.await().until(() -> {
                time.advance(Duration.ofMillis(10)); // The start waits for the caches by the timer.
                return host.status().reconciles() > 0;
            });
            while (time.now().isBefore(VirtualTime.START.plus(FailureRuns.LASTING))) {
                assertThat(conditions()).isEmpty();
                time.advance(Duration.ofSeconds(5));
                reconcile(host);
            }
            assertThat(conditions())
                    .extracting(V1Condition::getReason, V1Condition::getStatus)
                    .containsExactly(tuple("InternalError", "False"));
            for (int i = 0; i < 5; i++) {
                time.advance(Duration.ofSeconds(5));
                reconcile(host);
            }
            assertThat(host.writes()).containsOnlyOnce("PATCH gadgets/g/status");

            server.faults().clear();
            reconcile(host);
            awaitConditions();
        }
    }

    /** Though each write brings the object in again. */
    @Test
    void aFailureThatSaysSomethingElseEachTimeIsNotToldForEver() {
        AtomicInteger reconciles = new AtomicInteger();
        ObjectReconciler<Gadget> reconciler = new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.when(event -> true);
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) {
                throw new TerminalException("x".repeat(reconciles.incrementAndGet()));
            }
        };
        try (RunningHost host = run(reconciler)) {
            host.awaitIdle(FailureRuns.MOST_REPORTS + 1);
            assertThat(host.writes())
                    .filteredOn("PATCH gadgets/g/status"::equals)
                    .hasSize(FailureRuns.MOST_REPORTS);
        }
    }

    /** The cache holds what has the labels, so that nothing tells of the end of an object without. */
    @Test
    void aNameThatNoCacheShowsIsLookedForAgainAfterHalfAMinute() throws ApiException {
        VirtualTime time = new VirtualTime();
        ResourceClient<V1ConfigMap> configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        configMaps.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name("g")));
        ObjectReconciler<Gadget> reconciler = new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.owns(ResourceTypes.CONFIG_MAP).labels(Map.of("made-by", "test"));
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                r.apply(new V1ConfigMap());
                return Outcome.ready("Made", "");
            }
        };
        try (RunningHost host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler), time)) {
            Awaitility.await().until(() -> {
                time.advance(Duration.ofMillis(10)); // The start waits for the caches by the timer.
                return host.status().delayed() == 1;
            });
            assertThat(conditions()).extracting(V1Condition::getReason).containsExactly("NameTaken");

            configMaps.delete(namespace, "g");
            time.advance(TypedReconciler.NAME_RETRY);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(conditions())
                            .extracting(V1Condition::getReason)
                            .containsExactly("Made"));
        }
    }
}

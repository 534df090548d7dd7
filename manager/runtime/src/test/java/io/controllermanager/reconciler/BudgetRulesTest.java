package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a slot is needed, and when it is over. */
class BudgetRulesTest {

    private static final Index<Gadget> BY_SIZE =
            Index.of("size", gadget -> gadget.spec().size());
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("budget");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
    private volatile String version = "1";
    private volatile boolean down;

    /** It runs what its label says once the annotation says so too. */
    private abstract class Rolling implements ObjectReconciler<Gadget> {

        abstract Outcome end(boolean runs, Reconciliation<Gadget> r);

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.SECRET).budget(BY_SIZE, 1);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            String wanted = version;
            V1Secret child = r.apply(new V1Secret()
                    .metadata(new V1ObjectMeta().labels(Map.of("version", wanted)))
                    .type("Opaque"));
            Map<String, String> annotations = child.getMetadata().getAnnotations();
            return end(annotations != null && wanted.equals(annotations.get("runs")), r);
        }
    }

    @BeforeEach
    void install() throws ApiException {
        Gadget.install(server.client());
        for (String name : NAMES) {
            gadgets.create(Gadget.named(namespace, name, new Gadget.Spec("S", List.of(), null)));
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private RunningHost run(ObjectReconciler<Gadget> reconciler) {
        return new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler));
    }

    private void reconcileAll(RunningHost host) {
        NAMES.forEach(name -> host.reconcile(new Request(namespace, name)));
    }

    private void runs(String name, String what) throws ApiException {
        secrets.patch(namespace, name, new Patch.Merge("{\"metadata\":{\"annotations\":{\"runs\":\"" + what + "\"}}}"));
    }

    private Set<String> at(String which) throws ApiException {
        return secrets.list(namespace).stream()
                .filter(secret -> which.equals(secret.getMetadata().getLabels().get("version")))
                .map(secret -> secret.getMetadata().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> held() throws ApiException {
        return configMaps.list("default").stream()
                .filter(one -> one.getMetadata().getName().startsWith("slots-gadget-") && one.getData() != null)
                .flatMap(one -> one.getData().values().stream())
                .map(key -> key.substring(key.indexOf('/') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private long with(String type, String status) throws ApiException {
        return gadgets.list(namespace).stream()
                .filter(gadget -> {
                    V1Condition found = Conditions.of(gadget, type);
                    return found != null && found.getStatus().equals(status);
                })
                .count();
    }

    private void startReady(RunningHost host, String condition) throws ApiException {
        await().until(() -> at("1").size() == NAMES.size());
        for (String name : NAMES) {
            runs(name, "1");
        }
        await().until(() -> with(condition, "True") == NAMES.size());
        host.writes();
    }

    /** Else an outage of what all depend on would have all of them changed at once. */
    @Test
    void oneThatIsNotReadyForOtherReasonsHasNoneButSlotsCountForIt() throws ApiException {
        try (RunningHost host = run(new Rolling() {
            @Override
            Outcome end(boolean runs, Reconciliation<Gadget> r) {
                return runs && !down ? Outcome.ready("Runs", "") : Outcome.progressing("Starts", "");
            }
        })) {
            startReady(host, "Ready");
            down = true;
            reconcileAll(host);
            await().until(() -> with("Ready", "False") == NAMES.size());

            version = "2";
            reconcileAll(host);
            await().until(() -> with("Reconciling", "True") == NAMES.size() - 1);
            assertThat(at("2")).hasSize(1).isEqualTo(held());
        }
    }

    @Test
    void aSlotIsOverOnceTheObjectIsReadyByWhatIsWritten() throws ApiException {
        try (RunningHost host = run(new Rolling() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.owns(ResourceTypes.SECRET).budget(BY_SIZE, 1, gadget -> {
                    V1Condition running = Conditions.of(gadget, "Running");
                    return running != null && running.getStatus().equals("True");
                });
            }

            @Override
            Outcome end(boolean runs, Reconciliation<Gadget> r) {
                r.condition("Running", runs, runs ? "Runs" : "Starts", "");
                return Outcome.done().again(Duration.ofHours(1));
            }
        })) {
            startReady(host, "Running");
            version = "2";
            reconcileAll(host);
            for (int changed = 1; changed <= NAMES.size(); changed++) {
                int expected = changed;
                await().until(() -> at("2").size() == expected && with("Running", "False") == 1);
                Set<String> rolling = held();
                assertThat(rolling).hasSize(1);
                runs(rolling.iterator().next(), "2");
            }
            await().until(() -> held().isEmpty());
        }
    }

    @Test
    void theNewestAreKeptWithoutASlot() throws ApiException {
        try (RunningHost host = run(new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.owns(ResourceTypes.SECRET).prunes().budget(BY_SIZE, 1);
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                for (int copy = 0; copy < 3; copy++) {
                    r.create(new V1Secret()
                            .metadata(
                                    new V1ObjectMeta().name(gadget.getMetadata().getName() + copy)));
                }
                r.keepLatest(ResourceTypes.SECRET, 1, copy -> true);
                return Outcome.ready("Made", "");
            }
        })) {
            await().until(() -> with("Ready", "True") == NAMES.size());
            host.writes();
            assertThat(configMaps.list("default"))
                    .noneMatch(one -> one.getMetadata().getName().startsWith("slots-"));
        }
    }

    @Test
    void thereIsOneBudget() {
        assertThatThrownBy(() -> TypedController.descriptor("gadget", Gadget.TYPE, new Rolling() {
                    @Override
                    public void describe(ControllerDescription<Gadget> d) {
                        super.describe(d);
                        d.budget(Index.of("other", gadget -> "x"), 2);
                    }

                    @Override
                    Outcome end(boolean runs, Reconciliation<Gadget> r) {
                        return Outcome.done();
                    }
                }))
                .hasMessage("a controller has one budget, but its description has a second one by the index \"other\"");
    }
}

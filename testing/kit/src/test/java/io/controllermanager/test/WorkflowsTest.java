package io.controllermanager.test;

import static io.controllermanager.test.Described.controller;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.NameTakenException;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the Java Operator SDK's workflows are for, as a reconciler says it: docs/from-java-operator-sdk.md names each of its cases
 * with the test that shows it here. {@link DependentsTest} has its kinds of dependent resources.
 */
class WorkflowsTest {

    private static final String NAMESPACE = "default";
    private static final String NAME = "g";

    private final ApiServer server =
            ApiServer.builder().manifests("classpath:greetings.yaml").start();
    private final ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);

    @BeforeEach
    void create() throws ApiException {
        greetings.create(new Greeting(NAME, NAME, "1"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Depends on, ready and reconcile conditions: an early return, and an if. */
    @Test
    void eachStepWaitsForTheOneBeforeAndAConditionTakesAStepAway() throws ApiException {
        try (RunningManager host = RunningManager.start(
                server,
                controller(
                        "steps",
                        d -> d.owns(ResourceTypes.CONFIG_MAP)
                                .owns(ResourceTypes.SECRET)
                                .prunes(),
                        (greeting, r) -> {
                            V1ConfigMap first = r.apply(new V1ConfigMap());
                            if (!data(first).containsKey("ready")) {
                                return Outcome.progressing("FirstStarting", "the first is not ready");
                            }
                            if (!greeting.spec().text().isEmpty()) {
                                r.apply(new V1Secret());
                            }
                            r.pruneOthers();
                            return Outcome.ready("Made", "both are there");
                        }))) {
            host.settles();
            assertThat(reason()).isEqualTo("FirstStarting");
            assertThat(secrets.get(NAMESPACE, NAME)).isNull();

            configMaps.patch(NAMESPACE, NAME, new Patch.Merge("{\"data\":{\"ready\":\"true\"}}"));
            host.settles();
            assertThat(reason()).isEqualTo("Made");
            assertThat(secrets.get(NAMESPACE, NAME)).isNotNull();

            change("");
            host.settles();
            assertThat(secrets.get(NAMESPACE, NAME)).isNull();
        }
    }

    /** Bulk dependents. */
    @Test
    void thereAreAsManyChildrenAsAreWanted() throws ApiException {
        try (RunningManager host = RunningManager.start(
                server, controller("bulk", d -> d.owns(ResourceTypes.CONFIG_MAP).prunes(), (greeting, r) -> {
                    for (int i = 0; i < Integer.parseInt(greeting.spec().text()); i++) {
                        r.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name(NAME + "-" + i)));
                    }
                    r.pruneOthers();
                    int there = r.children(ResourceTypes.CONFIG_MAP).size();
                    return Outcome.ready("Made" + there, there + " are there");
                }))) {
            for (int wanted : new int[] {1, 3, 2, 0}) {
                change(String.valueOf(wanted));
                host.settles();
                assertThat(configMaps.list(NAMESPACE)).hasSize(wanted);
                assertThat(reason()).isEqualTo("Made" + wanted);
            }
        }
    }

    /** A delete postcondition: whatever the clean-up looks at. */
    private static final class Patient implements ObjectReconciler<Greeting>, Cleaner<Greeting> {

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.owns(ResourceTypes.CONFIG_MAP)
                    .teardown()
                    .owns(ResourceTypes.SECRET)
                    .teardown();
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            r.apply(new V1ConfigMap());
            r.create(new V1Secret()
                    .metadata(new V1ObjectMeta().name(greeting.name()).addFinalizersItem("example.com/slow")));
            return Outcome.ready("Made", "both are there");
        }

        @Override
        public Outcome cleanup(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            V1ConfigMap first = r.child(ResourceTypes.CONFIG_MAP, greeting.name());
            if (first != null && !data(first).containsKey("released")) {
                return Outcome.progressing("NotReleased", "nobody has released the ConfigMap");
            }
            if (!r.delete(new V1ConfigMap())) {
                return Outcome.progressing("FirstGoing", "the ConfigMap is being deleted");
            }
            return r.delete(new V1Secret())
                    ? Outcome.done()
                    : Outcome.progressing("SecondGoing", "the Secret is being deleted");
        }
    }

    @Test
    @SuppressWarnings("try") // The controller works by itself.
    void theObjectStaysUntilItsChildrenMayGoAndHaveGone() throws ApiException {
        try (RunningManager host =
                RunningManager.start(server, TypedController.descriptor("patient", Greeting.TYPE, new Patient()))) {
            host.settles();
            greetings.delete(NAMESPACE, NAME);
            await().until(() -> reason().equals("NotReleased"));
            assertThat(configMaps.get(NAMESPACE, NAME)).isNotNull();

            configMaps.patch(NAMESPACE, NAME, new Patch.Merge("{\"data\":{\"released\":\"true\"}}"));
            await().until(() -> reason().equals("SecondGoing"));
            assertThat(configMaps.get(NAMESPACE, NAME)).isNull();
            assertThat(greetings.get(NAMESPACE, NAME)).isNotNull();

            secrets.patch(NAMESPACE, NAME, new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));
            await().until(() -> greetings.get(NAMESPACE, NAME) == null);
            assertThat(secrets.get(NAMESPACE, NAME)).isNull();
        }
    }

    /** Exceptions of dependents that a reconciler handles itself. */
    @Test
    void whatFailsNeedNotEndTheReconcile() throws ApiException {
        V1ConfigMap foreign = new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(NAMESPACE).name(NAME));
        configMaps.create(foreign);
        try (RunningManager host = RunningManager.start(
                server,
                controller(
                        "silent", d -> d.owns(ResourceTypes.CONFIG_MAP).owns(ResourceTypes.SECRET), (greeting, r) -> {
                            String failed = "";
                            try {
                                r.apply(new V1ConfigMap());
                            } catch (NameTakenException e) {
                                failed = e.name();
                            }
                            r.apply(new V1Secret());
                            return failed.isEmpty()
                                    ? Outcome.ready("Made", "both are there")
                                    : Outcome.blocked("ConfigMapTaken", "there is another " + failed);
                        }))) {
            host.settles();
            assertThat(reason()).isEqualTo("ConfigMapTaken");
            assertThat(secrets.get(NAMESPACE, NAME)).isNotNull();
        }
    }

    /** Activation by the presence of a CRD: the rest goes on without it. */
    @Test
    void aTypeThatMayBeMissingHasAControllerOfItsOwn() throws ApiException {
        ResourceType<DynamicKubernetesObject> route =
                ResourceType.namespaced(DynamicKubernetesObject.class, "route.example.com", "v1", "Route", "routes");
        try (RunningManager host = RunningManager.start(
                server,
                controller("greeting", d -> d.owns(ResourceTypes.CONFIG_MAP), (greeting, r) -> {
                    r.apply(new V1ConfigMap());
                    return Outcome.ready("Made", "it is there");
                }),
                controller("greeting-route", d -> d.owns(route), (greeting, r) -> {
                    throw new IllegalStateException("there is no such type");
                }))) {
            await().until(() -> reason().equals("Made"));
            assertThat(host.manager().controllers())
                    .filteredOn(controller -> controller.name().equals("greeting-route"))
                    .singleElement()
                    .extracting(ControllerStatus::state)
                    .isEqualTo(ControllerState.WAITING_FOR_TYPE);
        }
    }

    private static Map<String, String> data(V1ConfigMap configMap) {
        return Objects.requireNonNullElse(configMap.getData(), Map.of());
    }

    private void change(String text) throws ApiException {
        greetings.patch(NAMESPACE, NAME, new Patch.Merge("{\"spec\":{\"text\":\"" + text + "\"}}"));
    }

    private String reason() throws ApiException {
        V1Condition ready = Conditions.of(greetings.get(NAMESPACE, NAME), "Ready");
        return ready == null ? "" : ready.getReason();
    }
}

package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects whose children are all to be changed, and of which few may be not ready at a time. */
class BudgetTest {

    private static final Index<Gadget> BY_SIZE =
            Index.of("size", gadget -> gadget.spec().size());
    private static final int MOST = 2;
    private static final String RUNS = "runs";

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("budget");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
    private final ResourceClient<V1Pod> pods = new ResourceClient<>(server.client(), ResourceTypes.POD);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private @Nullable RunningHost host;

    /** Its child has the version that the ConfigMap says, and is ready once it runs that one. */
    private static final ObjectReconciler<Gadget> ROLLING = new ObjectReconciler<>() {
        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.SECRET)
                    .references(
                            ResourceTypes.CONFIG_MAP, gadget -> gadget.spec().config())
                    .force()
                    .budget(BY_SIZE, MOST);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            V1ConfigMap wanted = Objects.requireNonNull(
                    r.find(ResourceTypes.CONFIG_MAP, gadget.spec().config()));
            V1Secret child = r.apply(new V1Secret()
                    .metadata(new V1ObjectMeta().labels(wanted.getData()))
                    .type("Opaque"));
            String version = wanted.getData().get("version");
            return version.equals(annotation(child, RUNS))
                    ? Outcome.ready("Runs", "it runs")
                    : Outcome.progressing("Starts", "it starts");
        }
    };

    @BeforeEach
    void install() throws ApiException {
        Gadget.install(server.client());
        configMaps.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name("class"))
                .data(Map.of("version", "1")));
    }

    @AfterEach
    void close() {
        end();
        server.close();
    }

    @Test
    void newObjectsWaitForNothing() throws ApiException {
        create("S", "a", "b", "c", "d");
        start();

        awaitThat(() -> assertThat(at("1")).containsExactly("a", "b", "c", "d"));
        assertThat(held()).isEmpty();
    }

    @Test
    void asManyAreChangedAtATimeAsThereAreSlots() throws ApiException {
        create("S", "a", "b", "c", "d", "e");
        create("L", "other");
        startReady();
        wants("2");

        awaitThat(() -> assertThat(waiting()).hasSize(3));
        awaitThat(() -> assertThat(at("2")).hasSize(3).contains("other"));
        Set<String> first = at("2");
        awaitThat(() -> assertThat(held()).containsExactlyElementsOf(first));
        for (String waits : waiting()) {
            assertThat(condition(waits, "Ready").getStatus()).isEqualTo("True");
            assertThat(condition(waits, "Reconciling").getReason()).isEqualTo("WaitsForBudget");
            assertThat(condition(waits, "Reconciling").getMessage())
                    .startsWith("waits for one of 2 slots of \"S\", which ConfigMap default/slots-gadget-")
                    .endsWith(" lists");
        }

        run(first.iterator().next(), "2");
        awaitThat(() -> assertThat(waiting()).hasSize(2));
        for (int i = 0; i < 5; i++) {
            for (String changed : at("2")) {
                run(changed, "2");
            }
            int waitingYet = Math.max(0, 1 - 2 * i);
            awaitThat(() -> assertThat(waiting()).hasSizeLessThanOrEqualTo(waitingYet));
        }
        awaitThat(() -> assertThat(held()).isEmpty());
        awaitThat(() -> assertThat(condition("e", "Ready").getStatus()).isEqualTo("True"));
        assertThat(at("2")).hasSize(6);
    }

    @Test
    void oneThatIsNotReadyForOtherReasonsCountsAndMayBeChanged() throws ApiException {
        create("S", "a", "b", "c", "d");
        startReady();
        run("d", "none");
        awaitThat(() -> assertThat(condition("d", "Ready").getStatus()).isEqualTo("False"));
        wants("2");

        awaitThat(() -> assertThat(at("2")).hasSize(2).contains("d"));
        awaitThat(() -> assertThat(waiting()).hasSize(2));
        awaitThat(() -> assertThat(held()).hasSize(2).contains("d"));

        run("d", "2");
        awaitThat(() -> assertThat(held()).hasSize(2));
    }

    /** Two of three objects that are to be changed have the slots; returns the one that waits. */
    private String lastOfThree() throws ApiException {
        create("S", "a", "b", "c");
        startReady();
        wants("2");
        awaitThat(() -> assertThat(held()).hasSize(2));
        awaitThat(() -> assertThat(waiting()).hasSize(1));
        return waiting().iterator().next();
    }

    @Test
    void theSlotOfOneThatIsDeletedComesBack() throws ApiException {
        String last = lastOfThree();

        gadgets.delete(namespace, held().iterator().next());

        awaitThat(() -> assertThat(held()).hasSize(2).contains(last));
    }

    @Test
    void theSlotOfOneThatIsDeletedWhileNobodyLooksComesBack() throws ApiException {
        String last = lastOfThree();
        end();
        gadgets.delete(namespace, held().iterator().next());
        start();

        awaitThat(() -> assertThat(held()).hasSize(2).contains(last));
    }

    /** Others hold it by a finalizer. */
    @Test
    void theSlotOfOneThatIsOnItsWayOutComesBack() throws ApiException {
        String last = lastOfThree();
        String leaves = held().iterator().next();
        gadgets.patch(namespace, leaves, new Patch.Merge("{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}"));

        gadgets.delete(namespace, leaves);

        awaitThat(() -> assertThat(held()).hasSize(2).contains(last));
    }

    @Test
    void theSlotOfOneThatChangesItsValueComesBack() throws ApiException {
        String last = lastOfThree();

        gadgets.patch(namespace, held().iterator().next(), new Patch.Merge("{\"spec\":{\"size\":\"L\"}}"));

        awaitThat(() -> assertThat(held()).hasSize(2).contains(last));
    }

    @Test
    void aProcessThatEndsLeavesItsSlotsToTheNext() throws ApiException {
        create("S", "a", "b", "c");
        startReady();
        wants("2");
        awaitThat(() -> assertThat(held()).hasSize(2));
        end();
        for (String changed : at("2")) {
            run(changed, "2");
        }
        start();

        awaitThat(() -> assertThat(at("2")).hasSize(3));
        run("a", "2");
        run("b", "2");
        run("c", "2");
        awaitThat(() -> assertThat(held()).isEmpty());
        awaitThat(() -> assertThat(waiting()).isEmpty());
    }

    /** As when another process has taken it, whose write came after the object was found to be ready here. */
    @Test
    void aSlotThatIsSeenLateIsGivenBack() throws ApiException {
        create("S", "a");
        startReady();
        wants("2");
        awaitThat(() -> assertThat(held()).hasSize(1));
        run("a", "2");
        awaitThat(() -> assertThat(held()).isEmpty());

        V1ConfigMap slots = configMaps.list("default").stream()
                .filter(one -> one.getMetadata().getName().startsWith("slots-gadget-"))
                .findFirst()
                .orElseThrow();
        String uid = gadgets.get(namespace, "a").getMetadata().getUid();
        configMaps.update(slots.data(Map.of(uid, namespace + "/a")));

        awaitThat(() -> assertThat(held()).isEmpty());
    }

    @Test
    void whatSomebodyHasChangedIsPutRightUnderTheBudgetToo() throws ApiException {
        create("S", "a", "b", "c");
        startReady();
        for (String name : List.of("a", "b", "c")) {
            secrets.patch(
                    namespace,
                    name,
                    new Patch.Merge(
                            "{\"metadata\":{\"labels\":{\"version\":\"0\"}," + "\"annotations\":{\"runs\":\"0\"}}}"));
        }

        awaitThat(() -> assertThat(waiting()).hasSize(1));
        awaitThat(() -> assertThat(at("1")).hasSize(2));
        for (String name : List.of("a", "b", "c")) {
            run(name, "1");
        }
        awaitThat(() -> assertThat(at("1")).hasSize(3));
        awaitThat(() -> assertThat(held()).isEmpty());
    }

    /** As the other, of Pods, which say themselves whether they are ready. */
    private static final ObjectReconciler<Gadget> ROLLING_PODS = new ObjectReconciler<>() {
        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.POD)
                    .references(
                            ResourceTypes.CONFIG_MAP, gadget -> gadget.spec().config())
                    .budget(BY_SIZE, MOST);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            V1ConfigMap wanted = Objects.requireNonNull(
                    r.find(ResourceTypes.CONFIG_MAP, gadget.spec().config()));
            V1Pod child = r.apply(new V1Pod()
                    .metadata(new V1ObjectMeta().labels(wanted.getData()))
                    .spec(new V1PodSpec()
                            .addContainersItem(new V1Container().name("main").image("example.com/main"))));
            return wanted.getData().get("version").equals(annotation(child, RUNS))
                    ? Outcome.of(r.ready(child))
                    : Outcome.progressing("Starts", "it starts");
        }
    };

    @Test
    void oneThatBreaksWhileItWaitsCountsAndIsChanged() throws ApiException {
        create("S", "a", "b", "c", "d");
        host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, ROLLING_PODS));
        for (String name : List.of("a", "b", "c", "d")) {
            awaitThat(() -> assertThat(pods.get(namespace, name)).isNotNull());
            annotate(pods, name, "1");
            podIs(name, "True");
            awaitThat(() -> assertThat(condition(name, "Ready").getStatus()).isEqualTo("True"));
        }
        wants("2");
        awaitThat(() -> assertThat(held()).hasSize(2));
        awaitThat(() -> assertThat(waiting()).hasSize(2));
        Set<String> first = held();
        Iterator<String> both = waiting().iterator();
        String breaks = both.next();
        String waits = both.next();

        podIs(breaks, "False");
        awaitThat(() -> assertThat(waiting()).containsExactly(waits));
        assertThat(condition(breaks, "Ready").getStatus()).isEqualTo("False");
        assertThat(pods.get(namespace, breaks).getMetadata().getLabels()).containsEntry("version", "2");
        assertThat(held()).isEqualTo(first);

        annotate(pods, first.iterator().next(), "2");
        awaitThat(() -> assertThat(held()).hasSize(1));
        host.reconcile(new Request(namespace, waits));
        awaitThat(() -> assertThat(condition(waits, "Reconciling").getMessage())
                .endsWith("; others that are not ready: " + namespace + "/" + breaks));

        annotate(pods, breaks, "2");
        podIs(breaks, "True");
        awaitThat(() -> assertThat(held()).hasSize(2).contains(waits));
    }

    private void podIs(String name, String ready) throws ApiException {
        pods.patchStatus(
                namespace,
                name,
                new Patch.Merge("{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\""
                        + ready + "\"}]}}"));
    }

    @Test
    void aDescriptionWithoutReadinessIsRefused() {
        assertThatThrownBy(() -> TypedController.descriptor("c", ResourceTypes.CONFIG_MAP, new ObjectReconciler<>() {
                    @Override
                    public void describe(ControllerDescription<V1ConfigMap> d) {
                        d.budget(Index.of("kind", V1ConfigMap::getKind), 1);
                    }

                    @Override
                    public Outcome reconcile(V1ConfigMap object, Reconciliation<V1ConfigMap> r) {
                        return Outcome.done();
                    }
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no conditions: say which objects are ready");
    }

    private void start() {
        ControllerDescriptor controller = TypedController.descriptor("gadget", Gadget.TYPE, ROLLING);
        host = new RunningHost(server.client(), namespace, controller);
    }

    /** Starts, and has all that is there run. */
    private void startReady() throws ApiException {
        start();
        for (Gadget gadget : gadgets.list(namespace)) {
            String name = gadget.getMetadata().getName();
            awaitThat(() -> assertThat(secrets.get(namespace, name)).isNotNull());
            run(name, "1");
        }
        for (Gadget gadget : gadgets.list(namespace)) {
            String name = gadget.getMetadata().getName();
            awaitThat(() -> assertThat(condition(name, "Ready").getStatus()).isEqualTo("True"));
        }
    }

    private void end() {
        if (host != null) {
            host.close();
            host = null;
        }
    }

    private void create(String size, String... names) throws ApiException {
        for (String name : names) {
            gadgets.create(Gadget.named(namespace, name, new Gadget.Spec(size, List.of(), "class")));
        }
    }

    private void wants(String version) throws ApiException {
        configMaps.patch(namespace, "class", new Patch.Merge("{\"data\":{\"version\":\"" + version + "\"}}"));
    }

    /** Says what a child runs, as its own controller would. */
    private void run(String name, String version) throws ApiException {
        annotate(secrets, name, version);
    }

    private void annotate(ResourceClient<?> children, String name, String version) throws ApiException {
        children.patch(
                namespace, name, new Patch.Merge("{\"metadata\":{\"annotations\":{\"runs\":\"" + version + "\"}}}"));
    }

    /** The names of those whose children have a version. */
    private Set<String> at(String version) throws ApiException {
        return secrets.list(namespace).stream()
                .filter(secret -> secret.getMetadata().getLabels() != null
                        && version.equals(secret.getMetadata().getLabels().get("version")))
                .map(secret -> secret.getMetadata().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> waiting() throws ApiException {
        return gadgets.list(namespace).stream()
                .filter(gadget -> {
                    V1Condition found = Conditions.of(gadget, "Reconciling");
                    return found != null && found.getStatus().equals("True");
                })
                .map(gadget -> gadget.getMetadata().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private V1Condition condition(String name, String type) throws ApiException {
        Gadget gadget = Objects.requireNonNull(gadgets.get(namespace, name));
        V1Condition found = Conditions.of(gadget, type);
        return found == null ? new V1Condition().status("none") : found;
    }

    /** Who has a slot, of whichever value. */
    private Set<String> held() throws ApiException {
        return configMaps.list("default").stream()
                .filter(slots -> slots.getMetadata().getName().startsWith("slots-gadget-"))
                .filter(slots -> slots.getData() != null)
                .flatMap(slots -> slots.getData().values().stream())
                .map(key -> key.substring(key.indexOf('/') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static @Nullable String annotation(KubernetesObject child, String name) {
        Map<String, String> annotations = child.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    private static void awaitThat(ThrowingRunnable assertion) {
        await().untilAsserted(assertion);
    }
}

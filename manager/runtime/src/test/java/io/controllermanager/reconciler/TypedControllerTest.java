package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OnBothServers
class TypedControllerTest {

    private final TestedServer server;
    private final String namespace;
    private final ResourceClient<Gadget> gadgets;
    private final ResourceClient<V1ConfigMap> configMaps;
    private final GadgetReconciler reconciler = new GadgetReconciler(false, Map.of());
    private RunningHost host;

    TypedControllerTest(TestedServer server) {
        this.server = server;
        this.namespace = server.createNamespace();
        this.gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
        this.configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    }

    @BeforeEach
    void start() throws ApiException {
        Gadget.install(server.client());
        host = run(reconciler);
    }

    @AfterEach
    void stop() {
        host.close();
    }

    private RunningHost run(GadgetReconciler running) {
        return new RunningHost(server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, running));
    }

    private void create(String name, Gadget.Spec spec) throws ApiException {
        gadgets.create(Gadget.named(namespace, name, spec));
    }

    private void createAndAwait(String name, String size, String... parts) throws ApiException {
        create(name, new Gadget.Spec(size, List.of(parts), null));
        awaitReason(name, "Made");
        awaitRest();
        host.writes();
    }

    /** Until the watches have brought all that was written. */
    private void awaitRest() {
        long[] before = {-1};
        await().until(() -> {
            host.awaitIdle(1);
            long now = host.status().reconciles();
            boolean rests = now == before[0];
            before[0] = now;
            return rests;
        });
    }

    private void reconcile(String name) {
        long before = host.status().reconciles();
        host.reconcile(new Request(namespace, name));
        host.awaitIdle(before + 1);
    }

    private Gadget gadget(String name) throws ApiException {
        return Objects.requireNonNull(gadgets.get(namespace, name));
    }

    private V1ConfigMap part(String name) throws ApiException {
        return Objects.requireNonNull(configMaps.get(namespace, name));
    }

    private V1Condition condition(String name, String type) throws ApiException {
        return Conditions.of(gadget(name), type);
    }

    private void awaitReason(String name, String reason) {
        await().untilAsserted(() -> assertThat(condition(name, "Ready"))
                .isNotNull()
                .extracting(V1Condition::getReason)
                .isEqualTo(reason));
    }

    @Test
    void atRestAResyncAndARestartWriteNothing() throws ApiException {
        int count = 150;
        for (int i = 0; i < count; i++) {
            create("g" + i, new Gadget.Spec("size-" + i, List.of("a", "b"), null));
        }
        for (int i = 0; i < count; i++) {
            awaitReason("g" + i, "Made");
        }
        awaitRest();
        assertThat(host.writes()).hasSize(count * 4); // finalizer, two parts, status

        long before = host.status().reconciles();
        for (int i = 0; i < count; i++) {
            host.reconcile(new Request(namespace, "g" + i));
        }
        host.awaitIdle(before + count);
        assertThat(host.writes()).isEmpty();

        host.close();
        host = run(new GadgetReconciler(false, Map.of()));
        host.awaitIdle(count);
        assertThat(host.writes()).isEmpty();

        gadgets.patch(namespace, "g7", new Patch.Merge("{\"spec\":{\"size\":\"XL\"}}"));
        await().until(() -> Objects.equals(part("g7-b").getData().get("size"), "XL")
                && gadget("g7").status().observedGeneration() == 2);
        awaitRest();
        assertThat(host.writes())
                .containsExactly("PATCH configmaps/g7-a", "PATCH configmaps/g7-b", "PATCH gadgets/g7/status");
    }

    @Test
    void whatOthersAddIsLeftAloneAndCausesNoWrite() throws ApiException {
        createAndAwait("g", "L", "a");
        configMaps.patch(
                namespace,
                "g-a",
                new Patch.Merge("{\"metadata\":{\"labels\":{\"x\":\"y\"}},\"data\":{\"theirs\":\"z\"}}"));
        awaitRest();
        reconcile("g");
        assertThat(host.writes()).isEmpty();

        host.close();
        host = run(reconciler);
        host.awaitIdle(1);
        assertThat(host.writes()).isEmpty();
        assertThat(part("g-a").getData()).containsEntry("theirs", "z").containsEntry("size", "L");
    }

    @Test
    void aFieldThatOthersHoldIsAConflictThatNamesThem() throws ApiException {
        createAndAwait("g", "L", "a");
        configMaps.patch(
                namespace,
                "g-a",
                new Patch.Apply(
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"g-a\"},"
                                + "\"data\":{\"size\":\"S\"}}",
                        "somebody",
                        true));

        awaitReason("g", "FieldConflict");
        assertThat(condition("g", "Ready").getMessage())
                .isEqualTo("reconcile failed: apply of ConfigMap " + namespace + "/g-a: somebody holds .data.size");
        assertThat(part("g-a").getData()).containsEntry("size", "S");
    }

    @Test
    void withForceDriftIsPutRight() throws ApiException {
        host.close();
        host = run(new GadgetReconciler(true, Map.of()));
        createAndAwait("g", "L", "a");
        configMaps.patch(namespace, "g-a", new Patch.Merge("{\"data\":{\"size\":\"S\"}}"));

        await().until(() -> Objects.equals(part("g-a").getData().get("size"), "L"));
        configMaps.delete(namespace, "g-a");
        await().until(() -> configMaps.get(namespace, "g-a") != null);
    }

    @Test
    void aFieldThatIsWantedNoMoreGoesAfterARestartToo() throws ApiException {
        host.close();
        host = run(new GadgetReconciler(false, Map.of("extra", "1")));
        createAndAwait("g", "L", "a");
        assertThat(part("g-a").getData()).containsEntry("extra", "1");

        host.close();
        host = run(reconciler);
        await().until(() -> !part("g-a").getData().containsKey("extra"));
    }

    @Test
    void aNameThatIsTakenIsLeftAloneUntilItIsFree() throws ApiException {
        configMaps.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name("g-a"))
                .data(Map.of("theirs", "1")));
        create("g", new Gadget.Spec("L", List.of("a"), null));

        awaitReason("g", "NameTaken");
        host.awaitIdle(1); // Nothing is tried again.
        assertThat(part("g-a").getData()).containsOnlyKeys("theirs");
        assertThat(condition("g", "Ready").getMessage())
                .isEqualTo("reconcile failed: ConfigMap " + namespace + "/g-a exists already and has no controller");

        configMaps.delete(namespace, "g-a");
        awaitReason("g", "Made");
    }

    @Test
    void whatIsWantedNoMoreIsDeletedAndNothingElse() throws ApiException {
        createAndAwait("g", "L", "a", "b");
        V1ConfigMap madeOtherwise = new V1ConfigMap()
                .metadata(new V1ObjectMeta()
                        .namespace(namespace)
                        .name("by-hand")
                        .ownerReferences(List.of(OwnerLink.to(gadget("g"), Gadget.TYPE))));
        configMaps.create(madeOtherwise);

        gadgets.patch(namespace, "g", new Patch.Merge("{\"spec\":{\"parts\":[\"b\"]}}"));

        await().until(() -> configMaps.get(namespace, "g-a") == null);
        awaitRest();
        assertThat(host.writes()).containsExactly("DELETE configmaps/g-a", "PATCH gadgets/g/status");
        assertThat(configMaps.get(namespace, "by-hand")).isNotNull();
    }

    @Test
    void whatIsReferencedBringsThoseThatNameIt() throws ApiException {
        create("g", new Gadget.Spec("L", List.of("a"), "shared"));
        awaitReason("g", "Made");
        configMaps.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name("shared"))
                .data(Map.of("colour", "red")));

        await().until(() -> Objects.equals(part("g-a").getData().get("colour"), "red"));
    }

    @Test
    void peersBringEachOther() throws ApiException {
        createAndAwait("first", "L");
        assertThat(condition("first", "Alone").getStatus()).isEqualTo("True");
        create("second", new Gadget.Spec("L", List.of(), null));

        await().until(() -> condition("first", "Alone").getStatus().equals("False"));
        gadgets.delete(namespace, "second");
        await().until(() -> condition("first", "Alone").getStatus().equals("True"));
    }

    @Test
    void anObjectIsCleanedUpBeforeItGoes() throws ApiException {
        createAndAwait("g", "L");
        assertThat(gadget("g").getMetadata().getFinalizers()).containsExactly("example.com/gadget");
        gadgets.delete(namespace, "g");

        await().until(() -> gadgets.get(namespace, "g") == null);
        assertThat(reconciler.cleanedUp).contains("g");
    }

    @Test
    void aFailureIsReportedOnceAndConditionsOfOthersStay() throws ApiException {
        createAndAwait("g", "L");
        gadgets.patchStatus(
                namespace,
                "g",
                new Patch.Json("[{\"op\":\"add\",\"path\":\"/status/conditions/0\",\"value\":{\"type\":\"Theirs\","
                        + "\"status\":\"True\",\"reason\":\"R\",\"message\":\"\","
                        + "\"lastTransitionTime\":\"2020-01-01T00:00:00Z\"}}]"));
        reconciler.failure = new io.controllermanager.controller.TerminalException("disk 7 is full");
        await().untilAsserted(() -> {
            reconcile("g");
            assertThat(condition("g", "Ready").getReason()).isEqualTo("Terminal");
        });
        assertThat(gadget("g").status().conditions())
                .extracting(V1Condition::getType)
                .containsExactly("Theirs", "Ready", "Alone");
        assertThat(gadget("g").status().parts()).isZero();
        host.writes();

        reconciler.failure = new io.controllermanager.controller.TerminalException("disk 8 is full");
        reconcile("g");
        assertThat(host.writes()).isEmpty();
        assertThat(condition("g", "Ready").getMessage()).isEqualTo("reconcile failed: disk 7 is full");

        reconciler.failure = null;
        reconcile("g");
        assertThat(host.writes()).containsExactly("PATCH gadgets/g/status");
        assertThat(condition("g", "Ready").getStatus()).isEqualTo("True");
    }
}

package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.time.Clock;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1VolumeResourceRequirements;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.dynamic.Dynamics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** What an object says arrives in its children, its status and in text, and is not sent again. */
@OnBothServers
class ValuesOnTheWayTest {

    private static final String FACTS = """
            {"id":9007199254740993,"small":3,"ratio":0.1,"nested":[{"id":-9007199254740993}]}""";

    private final ApiClient client;
    private final String namespace;
    private final ResourceClient<Parcel> parcels;
    private final ResourceType<DynamicKubernetesObject> deployments;

    /** Has fields that take anything. */
    @CustomResource(group = "values.example.com", version = "v1")
    static final class Parcel extends CustomObject<Parcel.Spec, Parcel.Status> {

        private static final ResourceType<Parcel> TYPE = ResourceType.of(Parcel.class);

        /**
         * What is wanted.
         *
         * @param facts in a map
         * @param note as a tree
         * @param size of the claim
         */
        record Spec(Map<String, Object> facts, JsonElement note, Quantity size) {}

        /**
         * What was found.
         *
         * @param seen the facts
         * @param note the note
         * @param far more digits than the API server keeps
         */
        record Status(Object seen, JsonElement note, Object far) {}
    }

    private final class ParcelReconciler implements ObjectReconciler<Parcel> {

        /** As {@code kubectl create --dry-run -o yaml} writes it, with quantities that the API server stores otherwise. */
        private static final String TEMPLATE = """
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  creationTimestamp: null
                  labels: {app: a}
                spec:
                  selector: {matchLabels: {app: a}}
                  strategy: {}
                  template:
                    metadata:
                      creationTimestamp: null
                      labels: {app: a}
                    spec:
                      containers:
                        - name: c
                          image: i
                          resources:
                            limits: {cpu: 1000m, memory: 0.5Gi, example.com/rare: 1, ephemeral-storage: 16Ei}
                            requests: {cpu: 0.0000000001}
                status: {}
                """;

        @Override
        public void describe(ControllerDescription<Parcel> d) {
            d.owns(ResourceTypes.CONFIG_MAP)
                    .owns(ResourceTypes.PERSISTENT_VOLUME_CLAIM)
                    .owns(deployments);
        }

        @Override
        public Outcome reconcile(Parcel parcel, Reconciliation<Parcel> r) throws ApiException {
            Map<String, Object> facts = parcel.spec().facts();
            r.apply(new V1ConfigMap().data(Map.of("text", "id " + facts.get("id") + " of " + facts)));
            r.apply(new V1PersistentVolumeClaim()
                    .spec(new V1PersistentVolumeClaimSpec()
                            .addAccessModesItem("ReadWriteOnce")
                            .resources(new V1VolumeResourceRequirements()
                                    .putRequestsItem("storage", parcel.spec().size()))));
            r.apply(Dynamics.newFromYaml(TEMPLATE));
            r.status(new Parcel.Status(
                    facts,
                    parcel.spec().note(),
                    JsonParser.parseString("[123456789012345678901234567890,0.12345678901234567890]")));
            return Outcome.done();
        }
    }

    ValuesOnTheWayTest(TestedServer server) throws ApiException {
        client = server.client();
        namespace = server.createNamespace();
        parcels = new ResourceClient<>(client, Parcel.TYPE);
        deployments = Objects.requireNonNull(
                new ApiDiscovery(client, Clock.system()).dynamicType("apps", "v1", "deployments"));
    }

    @BeforeParameterizedClassInvocation
    static void installCrd(TestedServer server) throws ApiException {
        JsonObject crd = new Gson().toJsonTree(Gadget.crd()).getAsJsonObject();
        crd.getAsJsonObject("metadata").addProperty("name", "parcels.values.example.com");
        JsonObject spec = crd.getAsJsonObject("spec");
        spec.addProperty("group", "values.example.com");
        spec.getAsJsonObject("names").addProperty("kind", "Parcel");
        spec.getAsJsonObject("names").addProperty("plural", "parcels");
        new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                .patch(null, "parcels.values.example.com", new Patch.Apply(crd.toString(), "test", true));
        await().until(() -> new ApiDiscovery(server.client(), Clock.system()).hasStatusSubresource(Parcel.TYPE));
    }

    private RunningHost run() {
        return new RunningHost(
                client, namespace, TypedController.descriptor("parcel", Parcel.TYPE, new ParcelReconciler()));
    }

    private Parcel create(String name, String size) throws ApiException {
        Parcel parcel = new Parcel();
        parcel.getMetadata().namespace(namespace).name(name);
        parcel.setSpec(new Parcel.Spec(Map.of(), JsonParser.parseString("{}"), new Quantity("1")));
        parcels.create(parcel);
        // As any other client does.
        return parcels.patch(
                namespace,
                name,
                new Patch.Merge("{\"spec\":{\"facts\":%s,\"note\":%s,\"size\":\"%s\"}}".formatted(FACTS, FACTS, size)));
    }

    private <T extends io.kubernetes.client.common.KubernetesObject> JsonObject read(ResourceType<T> type, String name)
            throws ApiException {
        ResourceType<DynamicKubernetesObject> raw = new ResourceType<>(
                DynamicKubernetesObject.class, type.group(), type.version(), type.kind(), type.plural(), type.scope());
        return Objects.requireNonNull(new ResourceClient<>(client, raw).get(namespace, name))
                .getRaw();
    }

    @Test
    void numbersArriveToTheDigitAndQuantitiesWhateverTheirSize() throws ApiException {
        create("a", "1Ei");
        try (RunningHost host = run()) {
            host.awaitIdle(1);

            assertThat(host.status().errors()).isZero();
        }

        String text = read(ResourceTypes.CONFIG_MAP, "a")
                .getAsJsonObject("data")
                .get("text")
                .getAsString();
        assertThat(text)
                // The API server sorts by name.
                .startsWith("id 9007199254740993 of {id=9007199254740993, ")
                .contains("small=3", "ratio=0.1", "nested=[{id=-9007199254740993}]");
        JsonObject status = read(Parcel.TYPE, "a").getAsJsonObject("status");
        for (String field : List.of("seen", "note")) {
            JsonObject arrived = status.getAsJsonObject(field);
            assertThat(arrived.get("id")).hasToString("9007199254740993");
            assertThat(arrived.get("small")).hasToString("3");
            assertThat(arrived.get("ratio")).hasToString("0.1");
            assertThat(arrived.get("nested")).hasToString("[{\"id\":-9007199254740993}]");
        }
        assertThat(read(ResourceTypes.PERSISTENT_VOLUME_CLAIM, "a")
                        .getAsJsonObject("spec")
                        .getAsJsonObject("resources"))
                .hasToString("{\"requests\":{\"storage\":\"1Ei\"}}");
        assertThat(read(deployments, "a").getAsJsonObject("spec").toString())
                .contains("\"limits\":")
                .doesNotContain("creationTimestamp\":\"");
    }

    @Test
    void nothingIsSentAtRestNorAfterARestart() throws ApiException {
        create("b", "0.0000000001");
        try (RunningHost host = run()) {
            host.awaitIdle(1);
            assertThat(host.writes()).isNotEmpty();
            long before = host.status().reconciles();
            host.reconcile(new Request(namespace, "b"));
            host.awaitIdle(before + 1);

            assertThat(host.writes()).isEmpty();
        }
        try (RunningHost host = run()) {
            host.awaitIdle(1);

            assertThat(host.status().errors()).isZero();
            assertThat(host.writes()).isEmpty();
        }
    }

    /** One digit of a whole number is a difference, and is written. */
    @Test
    void aStatusThatDiffersInTheLastDigitIsWritten() throws ApiException {
        Parcel parcel = create("c", "1");
        StatusWriter<Parcel> writer = new StatusWriter<>(client, Parcel.TYPE, Clock.system());
        JsonElement empty = JsonParser.parseString("{}");
        assertThat(writer.write(parcel, new Parcel.Status(1, JsonParser.parseString("[9007199254740992]"), empty)))
                .isTrue();
        Parcel stored = Objects.requireNonNull(parcels.get(namespace, "c"));

        assertThat(writer.write(stored, new Parcel.Status(1, JsonParser.parseString("[9007199254740993]"), empty)))
                .isTrue();

        assertThat(read(Parcel.TYPE, "c").getAsJsonObject("status").get("note")).hasToString("[9007199254740993]");
    }
}

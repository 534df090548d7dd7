package io.controllermanager.client.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiJsonTest {

    private static final String DEPLOYMENT = """
            {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"n","labels":{"a":"<b>"},
            "creationTimestamp":"2026-01-02T03:04:05Z","unknownField":{"deep":[1,2]}},
            "spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"strategy":{"rollingUpdate":{"maxSurge":"25%",
            "maxUnavailable":1}},"template":{"metadata":{},"spec":{"containers":[{"name":"c","image":"i",
            "resources":{"limits":{"cpu":"500m"}}}]}}}}""";

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String write(Object object) {
        return new String(ApiJson.write(object), StandardCharsets.UTF_8);
    }

    @Test
    void readsWhatClientJavaReads() throws IOException {
        V1Deployment read = ApiJson.read(utf8(DEPLOYMENT), ApiJson.adapter(V1Deployment.class));

        assertThat(read.getSpec().getStrategy().getRollingUpdate().getMaxSurge())
                .isEqualTo(new IntOrString("25%"));
        assertThat(read.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable())
                .isEqualTo(new IntOrString(1));
        assertThat(read.getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .get(0)
                        .getResources()
                        .getLimits())
                .containsEntry("cpu", new Quantity("500m"));
        assertThat(read)
                .isEqualTo(JSON.deserialize(
                        DEPLOYMENT.replace(",\"unknownField\":{\"deep\":[1,2]}", ""), V1Deployment.class));
    }

    @Test
    void sharesNothingWithATreeThatOthersReadToo() {
        JsonElement tree = JsonParser.parseString(DEPLOYMENT);
        JsonElement before = tree.deepCopy();
        V1Deployment model = ApiJson.read(tree, ApiJson.adapter(V1Deployment.class));
        DynamicKubernetesObject dynamic = ApiJson.read(tree, ApiJson.adapter(DynamicKubernetesObject.class));
        Tree own = ApiJson.read(tree, ApiJson.adapter(Tree.class));

        model.getSpec().getSelector().putMatchLabelsItem("a", "c");
        dynamic.getRaw().getAsJsonObject("spec").addProperty("replicas", 3);
        own.spec.addProperty("replicas", 4);

        assertThat(tree).isEqualTo(before);
    }

    private static final class Tree {
        private JsonObject spec = new JsonObject();
    }

    @Test
    void readsBackWhatItWrites() throws IOException {
        V1Deployment read = ApiJson.read(utf8(DEPLOYMENT), ApiJson.adapter(V1Deployment.class));

        assertThat(ApiJson.read(utf8(write(read)), ApiJson.adapter(V1Deployment.class)))
                .isEqualTo(read);
        assertThat(ApiJson.copy(read, V1Deployment.class)).isEqualTo(read).isNotSameAs(read);
        assertThat(write(read)).contains("\"a\":\"<b>\"");
    }

    @Test
    void writesBytesInBase64() throws IOException {
        V1Secret secret = new V1Secret().data(Map.of("k", new byte[] {0, (byte) 255}));

        assertThat(write(secret)).contains("\"k\":\"AP8=\"");
        assertThat(ApiJson.read(utf8(write(secret)), ApiJson.adapter(V1Secret.class))
                        .getData()
                        .get("k"))
                .containsExactly(0, 255);
    }

    @Test
    void leavesOutEmptyListsAndMapsOfModels() {
        assertThat(write(new V1JSONSchemaProps().type("object"))).isEqualTo("{\"type\":\"object\"}");
        assertThat(write(new V1JSONSchemaProps()._default(Map.of()))).isEqualTo("{\"default\":{}}");
    }

    @Test
    void keepsEmptyListsOfUsersClasses() {
        assertThat(write(new Own())).isEqualTo("{\"metadata\":{\"name\":\"x\"},\"wanted\":[]}");
    }

    @Test
    void readsMapsOfAnyKind() throws IOException {
        Maps read = ApiJson.read(
                utf8("{\"sorted\":{\"b\":1,\"a\":2},\"numbered\":{\"7\":[true]},\"none\":null}"),
                ApiJson.adapter(Maps.class));

        assertThat(read.sorted).containsExactly(Map.entry("a", 2), Map.entry("b", 1));
        assertThat(read.numbered).isEqualTo(Map.of(7, List.of(true)));
        assertThat(read.none).isNull();
        assertThat(write(read)).isEqualTo("{\"sorted\":{\"a\":2,\"b\":1},\"numbered\":{\"7\":[true]}}");
    }

    private static final class Maps {
        private TreeMap<String, Integer> sorted = new TreeMap<>();
        private Map<Integer, List<Boolean>> numbered = Map.of();
        private Map<String, String> none = Map.of();
    }

    private static final class Own {
        private final V1ObjectMeta metadata = new V1ObjectMeta().name("x");
        private final List<String> wanted = List.of();

        @Override
        public String toString() {
            return metadata + " " + wanted;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-02T03:04:05Z, 2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.0000009Z, 2026-01-02T03:04:05.000000900Z",
        "2026-01-02T03:04:05.123456Z, 2026-01-02T03:04:05.123456Z",
        "2026-01-02T03:04:05.1Z, 2026-01-02T03:04:05.100000Z",
        "2026-01-02T03:04:05+01:00, 2026-01-02T03:04:05+01:00"
    })
    void readsTimesInAnyFormAndWritesAFractionOnlyIfThereIsOne(String text, String written) throws IOException {
        V1ObjectMeta read =
                ApiJson.read(utf8("{\"creationTimestamp\":\"" + text + "\"}"), ApiJson.adapter(V1ObjectMeta.class));

        assertThat(read.getCreationTimestamp()).isEqualTo(OffsetDateTime.parse(text));
        assertThat(write(read)).isEqualTo("{\"creationTimestamp\":\"" + written + "\"}");
    }

    @Test
    void writesTheMicrosecondsThatSomeTimesMustHave() {
        OffsetDateTime whole = OffsetDateTime.parse("2026-01-02T03:04:05Z");
        V1Lease lease = new V1Lease().spec(new V1LeaseSpec().renewTime(whole).acquireTime(whole));
        EventsV1Event event =
                new EventsV1Event().eventTime(whole).series(new EventsV1EventSeries().lastObservedTime(whole));

        assertThat(write(lease))
                .contains("\"renewTime\":\"2026-01-02T03:04:05.000000Z\"")
                .contains("\"acquireTime\":\"2026-01-02T03:04:05.000000Z\"");
        assertThat(write(event))
                .contains("\"eventTime\":\"2026-01-02T03:04:05.000000Z\"")
                .contains("\"lastObservedTime\":\"2026-01-02T03:04:05.000000Z\"");
    }

    @Test
    void readsTimesInUtc() throws IOException {
        assertThat(ApiJson.read(
                                utf8("{\"creationTimestamp\":\"2026-12-31T23:59:59Z\"}"),
                                ApiJson.adapter(V1ObjectMeta.class))
                        .getCreationTimestamp())
                .isEqualTo(OffsetDateTime.of(2026, 12, 31, 23, 59, 59, 0, ZoneOffset.UTC));
    }

    @Test
    void skipsManagedFieldsForWhoeverHasNoUseForThem() throws IOException {
        String text = """
                {"metadata":{"name":"a","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}],"uid":"u"}}""";

        V1Deployment without = ApiJson.read(utf8(text), ApiJson.adapterWithoutManagedFields(V1Deployment.class));
        V1Deployment with = ApiJson.read(utf8(text), ApiJson.adapter(V1Deployment.class));

        assertThat(without.getMetadata().getManagedFields()).isNullOrEmpty();
        assertThat(without.getMetadata().getUid()).isEqualTo("u");
        assertThat(with.getMetadata().getManagedFields()).hasSize(1);
        assertThat(write(with)).contains("managedFields");
    }
}

package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.annotations.SerializedName;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** What the runtime writes is what the schema says: the server takes and keeps each field, and the object is read back as it was. */
@OnBothServers
class WireTest {

    @CustomResource(
            group = "example.com",
            version = "v1",
            selectableFields = {".spec.text", ".spec.whole", ".spec.mode"})
    static final class Wired extends CustomObject<Spec, Void> {}

    enum Mode {
        @SerializedName("read-only")
        READ_ONLY
    }

    record Pair<A, B>(A first, @Nullable B second) {}

    record Spec(
            String text,
            int whole,
            Mode mode,
            boolean yes,
            short small,
            long large,
            float single,
            double precise,
            BigInteger huge,
            BigDecimal exact,
            byte[] data,
            byte[][] pieces,
            int[] numbers,
            String[] words,
            LocalDate day,
            Date since,
            OffsetDateTime until,
            UUID id,
            Quantity size,
            IntOrString port,
            JsonElement any,
            JsonObject object,
            JsonArray array,
            Object[] objects,
            Set<String> set,
            Queue<Mode> queue,
            SortedMap<String, List<Integer>> sorted,
            Pair<String, Integer>[] pairs) {}

    private static final ResourceType<Wired> TYPE = ResourceType.of(Wired.class);

    private final TestedServer server;

    WireTest(TestedServer server) {
        this.server = server;
    }

    @BeforeParameterizedClassInvocation
    static void installCrd(TestedServer server) throws ApiException {
        Crds.install(
                server.client(),
                CustomResourceDefinition.of(List.of(Wired.class), Comments.NONE).get(0));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Spec spec() {
        return new Spec(
                "a",
                1,
                Mode.READ_ONLY,
                true,
                (short) -2,
                9_007_199_254_740_993L,
                0.5f,
                0.1,
                BigInteger.TEN,
                new BigDecimal("1.25"),
                new byte[] {1, 2, 3},
                new byte[][] {{4}, {5, 6}},
                new int[] {5, 6},
                new String[] {"b"},
                LocalDate.parse("2026-02-28"),
                new Date(1_767_225_600_000L),
                OffsetDateTime.parse("2026-01-01T00:00:00Z"),
                UUID.fromString("123e4567-e89b-12d3-a456-426614174000"),
                new Quantity("1Gi"),
                new IntOrString("http"),
                JsonParser.parseString("[1, {\"a\": \"b\"}]"),
                JsonParser.parseString("{\"a\": {\"b\": 1}}").getAsJsonObject(),
                JsonParser.parseString("[1, \"a\", {\"b\": [true]}]").getAsJsonArray(),
                new Object[] {"a", true},
                Set.of("a"),
                new ArrayDeque<>(List.of(Mode.READ_ONLY)),
                new TreeMap<>(Map.of("a", List.of(1, 2))),
                new Pair[] {new Pair<>("a", 1), new Pair<>("b", null)});
    }

    @Test
    void isWhatTheSchemaSays() throws ApiException {
        String namespace = server.createNamespace();
        Wired sent = new Wired();
        sent.setMetadata(new V1ObjectMeta().name("a").namespace(namespace));
        sent.setSpec(spec());
        ResourceClient<Wired> wireds = new ResourceClient<>(server.client(), TYPE);

        wireds.create(sent);

        assertThat(wireds.get(namespace, "a").spec()).usingRecursiveComparison().isEqualTo(spec());
    }

    @Test
    void isSelectedByItsFields() throws ApiException {
        String namespace = server.createNamespace();
        ResourceClient<Wired> wireds = new ResourceClient<>(server.client(), TYPE);
        Wired sent = new Wired();
        sent.setMetadata(new V1ObjectMeta().name("a").namespace(namespace));
        sent.setSpec(spec());
        wireds.create(sent);
        DynamicKubernetesApi objects = new DynamicKubernetesApi("example.com", "v1", "wireds", server.client());

        assertThat(found(objects, namespace, "spec.text=a,spec.whole=1,spec.mode=read-only"))
                .isEqualTo(1);
        assertThat(found(objects, namespace, "spec.text=b")).isZero();
    }

    private static int found(DynamicKubernetesApi objects, String namespace, String selector) throws ApiException {
        ListOptions options = new ListOptions();
        options.setFieldSelector(selector);
        return objects.list(namespace, options)
                .throwsApiException()
                .getObject()
                .getItems()
                .size();
    }
}

package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Format;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A type that is itself a record, with a field of each format. */
@OnBothServers
class RecordTest {

    @CustomResource(group = "example.com", version = "v1")
    record Lease(
            String apiVersion,
            String kind,
            V1ObjectMeta metadata,
            Spec spec,
            @Nullable Status status) implements KubernetesObject {

        @Override
        public String getApiVersion() {
            return apiVersion;
        }

        @Override
        public String getKind() {
            return kind;
        }

        @Override
        public V1ObjectMeta getMetadata() {
            return metadata;
        }
    }

    record Spec(
            @Nullable OffsetDateTime since,
            @Nullable LocalDate day,
            @Nullable UUID id,
            byte @Nullable [] data,
            @Format("ipv4") @Nullable String address,
            @Format("ipv6") @Nullable String longAddress,
            @Format("hostname") @Nullable String host,
            @Format("uri") @Nullable String page,
            @Format("duration") @Nullable String validity,
            @Nullable List<@Format("ipv4") String> addresses) {}

    record Status(int count) {}

    private final TestedServer server;
    private final String namespace;

    RecordTest(TestedServer server) {
        this.server = server;
        namespace = server.createNamespace();
    }

    @BeforeParameterizedClassInvocation
    static void installCrd(TestedServer server) throws ApiException {
        Crds.install(
                server.client(),
                CustomResourceDefinition.of(List.of(Lease.class), Comments.NONE).get(0));
    }

    private JsonObject create(String spec) throws ApiException {
        JsonObject object = new JsonObject();
        object.addProperty("apiVersion", "example.com/v1");
        object.addProperty("kind", "Lease");
        object.add("metadata", JsonParser.parseString("{\"name\": \"a\", \"namespace\": \"" + namespace + "\"}"));
        object.add("spec", JsonParser.parseString(spec));
        return new DynamicKubernetesApi("example.com", "v1", "leases", server.client())
                .create(new DynamicKubernetesObject(object))
                .throwsApiException()
                .getObject()
                .getRaw();
    }

    @Test
    void isReadAsItWasWritten() throws ApiException {
        Lease lease = JSON.deserialize(
                create("{\"since\": \"2026-01-01T00:00:00Z\", \"address\": \"10.0.0.1\"}")
                        .toString(),
                Lease.class);

        assertThat(lease.getMetadata().getNamespace()).isEqualTo(namespace);
        assertThat(lease.getKind()).isEqualTo("Lease");
        assertThat(lease.spec().since()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(lease.spec().address()).isEqualTo("10.0.0.1");
        assertThat(lease.status()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "since; 2026-01-01T00:00:00.5+01:00; 2026-01-01",
                "day; 2026-02-28; 2026-02-30",
                "id; 123e4567-e89b-12d3-a456-426614174000; 123e4567",
                "data; YQ==; a",
                "address; 10.0.0.1; 10.0.0",
                "longAddress; fd00::1; fd00:1",
                "host; a.example.com; a_b!",
                "page; https://example.com/a; example",
                "validity; 1h30m; soon",
            })
    void judgesTheFormat(String field, String good, String bad) throws ApiException {
        assertThat(create(json(field, good)).getAsJsonObject("spec").get(field).getAsString())
                .isEqualTo(good);
        assertThatThrownBy(() -> create(json(field, bad))).hasMessageContaining("spec." + field);
    }

    private static String json(String field, String value) {
        return "{\"" + field + "\": \"" + value + "\"}";
    }

    @Test
    void judgesTheFormatOfAnItem() throws ApiException {
        create("{\"addresses\": [\"10.0.0.1\"]}");

        assertThatThrownBy(() -> create("{\"addresses\": [\"1\"]}")).hasMessageContaining("spec.addresses[0]");
    }
}

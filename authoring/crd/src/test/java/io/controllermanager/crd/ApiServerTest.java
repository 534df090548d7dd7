package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an API server makes of the CRD with one of each, and of its objects. */
@OnBothServers
class ApiServerTest {

    private static final String VALID = """
            {"apiVersion": "example.com/v1", "kind": "Everything", "metadata": {"name": "a"},
             "spec": {"host": "a.b", "html": "", "class": "c", "ports": [{"number": 1}], "modes": ["RW"]}}
            """;

    private final TestedServer server;
    private final String namespace;

    ApiServerTest(TestedServer server) {
        this.server = server;
        namespace = server.createNamespace();
    }

    @BeforeParameterizedClassInvocation
    static void installCrd(TestedServer server) throws ApiException {
        Crds.install(
                server.client(),
                CustomResourceDefinition.of(List.of(Everything.class), Comments.NONE)
                        .get(0));
    }

    private JsonObject create(JsonElement object) throws ApiException {
        return new DynamicKubernetesApi("example.com", "v1", "everything", server.client())
                .create(new DynamicKubernetesObject(withNamespace(object)))
                .throwsApiException()
                .getObject()
                .getRaw();
    }

    private JsonObject withNamespace(JsonElement object) {
        JsonObject copy = object.deepCopy().getAsJsonObject();
        copy.getAsJsonObject("metadata").addProperty("namespace", namespace);
        return copy;
    }

    @Test
    void fillsInDefaults() throws ApiException {
        JsonObject spec = create(JsonParser.parseString(VALID)).getAsJsonObject("spec");

        assertThat(spec.get("replicas").getAsInt()).isEqualTo(1);
        assertThat(spec.get("mode").getAsString()).isEqualTo("read-only");
        assertThat(spec.get("y")).isEqualTo(JsonParser.parseString("{\"x\": [1, 2.5, \"z\", true]}"));
        assertThat(spec.getAsJsonArray("ports").get(0))
                .isEqualTo(JsonParser.parseString("{\"number\": 1, \"protocol\": \"TCP\"}"));
    }

    /** One field of the spec is set beside those that are required. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            nullValues = "accepted",
            value = {
                "host; \"a_b\"; spec.host in body should match",
                "host; \"localhost\"; spec.host: Invalid value",
                "html; 1; spec.html in body must be of type string",
                "html; null; spec.html: Required value",
                "replicas; 11; spec.replicas in body should be less than or equal to 10",
                "replicas; 0; accepted",
                "class; \" \"; spec.class in body should match",
                "mode; \"READ_ONLY\"; spec.mode: Unsupported value",
                "mode; \"read-only\"; accepted",
                "ports; [{\"number\": 0}]; spec.ports[0].number in body should be greater than or equal to 1",
                "ports; [{\"number\": 1, \"protocol\": \"TCPUDP\"}]; spec.ports[0].protocol in body should match",
                "ports; [{\"number\": 22, \"protocol\": \"UDP\"}]; is for SSH",
                "ports; [{\"number\": 1}, {\"number\": 1, \"protocol\": \"TCP\"}]; spec.ports[1]: Duplicate value",
                "ports; [{\"number\": 1}, {\"number\": 1, \"protocol\": \"UDP\"}]; accepted",
                "labels; {}; spec.labels",
                "labels; {\"a\": \"1234\"}; spec.labels.a: Too long",
                "resources; {\"limits\": {\"cpu\": \"1500m\", \"memory\": 1}}; accepted",
                "limits; {\"cpu\": \"much\"}; spec.limits.cpu in body should match",
                "surge; \"25%\"; accepted",
                "surge; 25; accepted",
                "surge; true; spec.surge in body must be of type",
                "since; \"2026-01-01T00:00:00Z\"; accepted",
                "since; \"today\"; spec.since",
                "modes; []; spec.modes in body should have at least 1 items",
                "modes; [\"RW\", \"RW\"]; spec.modes[1]: Duplicate value",
                "numbers; [1, null]; accepted",
                "numbers; [0]; spec.numbers[0] in body should be greater than or equal to 1",
                "ratio; 0.5; accepted",
                "ratio; 1000; spec.ratio in body should be less than 1000",
                "any; {\"a\": [1]}; accepted",
                "more; {\"a\": {\"b\": 1}}; accepted",
                "range; {\"from\": 9}; accepted",
                "range; {\"from\": 9, \"to\": 10}; spec.range.to in body should be less than or equal to 9",
                "contact; {\"mail\": \"none\"}; spec.contact.mail",
                "minimum; 10; spec: Invalid value",
            })
    void judgesAField(String field, String value, String refusal) throws ApiException {
        JsonObject object = JsonParser.parseString(VALID).getAsJsonObject();
        object.getAsJsonObject("metadata").addProperty("name", "a" + Integer.toHexString((field + value).hashCode()));
        object.getAsJsonObject("spec").add(field, JsonParser.parseString(value));

        if (refusal == null) {
            assertThat(create(object).getAsJsonObject("spec").get(field)).isNotNull();
        } else {
            assertThatThrownBy(() -> create(object)).hasMessageContaining(refusal);
        }
    }

    @Test
    void judgesTheName() {
        JsonObject object = JsonParser.parseString(VALID).getAsJsonObject();
        object.getAsJsonObject("metadata").addProperty("name", "1a");

        assertThatThrownBy(() -> create(object)).hasMessageContaining("metadata.name in body should match");
    }
}

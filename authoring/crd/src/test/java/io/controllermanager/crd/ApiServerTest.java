package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
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

    private static final Gson NULLS = new GsonBuilder().serializeNulls().create();

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
                "minimum; -9223372036854775809; Checked value must be of type integer",
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

    /**
     * What random objects found (see {@link BothJudges}): a field of the spec or the status is set, or one beside them.
     * The server keeps it (as the third column has it), or names what is wrong.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\0',
            value = {
                // nulls
                "spec.since; null; nothing",
                "spec.whole; {\"a\": null}; {}",
                "spec.labels; {\"a\": null}; [spec.labels Invalid]",
                "spec.numbers; [null]; [null]",
                "spec.html; null; [<nil> Invalid, spec.html Required]",
                "spec.ports; [null]; [<nil> Invalid, spec.ports[0] TypeInvalid]",
                "spec.replicas; null; 1",
                "spec.ports; [{\"number\": 1, \"protocol\": null}]; [{\"number\":1,\"protocol\":\"TCP\"}]",
                "spec.mode; null; \"read-only\"",
                "spec.any; {\"a\": null}; {\"a\":null}",
                "spec; null; [<nil> Invalid, spec Required]",
                "metadata.unknown; null; nothing [299 - \"unknown field \\\"metadata.unknown\\\"\"]",
                // numbers
                "spec.replicas; 1.0; [.spec.replicas Invalid]",
                "spec.replicas; 2147483648; [.spec.replicas Invalid, <nil> Invalid, spec.replicas Invalid]",
                "spec.replicas; 0.9; [.spec.replicas Invalid, <nil> Invalid, spec.replicas TypeInvalid]",
                "spec.replicas; -1; [.spec.replicas Invalid, spec.replicas Invalid]",
                "spec.minimum; 1.0; [spec Invalid]",
                "spec.minimum; 1e0; [spec Invalid]",
                "spec.minimum; 1.5; [<nil> Invalid, spec.minimum TypeInvalid]",
                "spec.minimum; 1e19; [<nil> Invalid, spec.minimum TypeInvalid]",
                "spec.minimum; 9223372036854775807; [spec Invalid]",
                "spec.minimum; 9223372036854775808; [<nil> Invalid, spec.minimum TypeInvalid]",
                "spec.minimum; 9007199254740993.0; [<nil> Invalid, spec.minimum TypeInvalid]",
                "spec.numbers; [2.0]; [2]",
                "spec.numbers; [0.5]; [<nil> Invalid, spec.numbers[0] Invalid, spec.numbers[0] TypeInvalid]",
                "spec.numbers; [123456789012345678901234567890]; [<nil> Invalid, spec.numbers[0] TypeInvalid]",
                "spec.surge; 1.5; [<nil> Invalid, spec.surge TypeInvalid]",
                "spec.surge; 1.0; 1",
                "spec.surge; 2147483648; 2147483648",
                "spec.any; 9223372036854775808; 9.223372036854776E+18",
                "spec.any; [9223372036854775807, 123456789012345678901234567890]; [9223372036854775807,1.2345678901234568E+29]",
                "spec.any; {\"a\": 9223372036854775808}; {\"a\":9.223372036854776E+18}",
                "spec.range; {\"from\": 8.5}; [<nil> Invalid, spec.range.from TypeInvalid]",
                "spec.range; {\"from\": 9.5}; [<nil> Invalid, spec.range.from Invalid, spec.range.from TypeInvalid]",
                "spec.ratio; 0; 0",
                "spec.ratio; 0.4; [spec.ratio Invalid]",
                "spec.ports; [{\"number\": 1.5}]; [<nil> Invalid, spec.ports[0].number TypeInvalid]",
                "spec.ports; [{\"number\": 0.5}]; [<nil> Invalid, spec.ports[0].number Invalid, spec.ports[0].number TypeInvalid]",
                // formats
                "spec.data; \"YQ\"; [<nil> Invalid, spec.data TypeInvalid]",
                "spec.data; \"YR==\"; \"YR==\"",
                "spec.data; \"YQ==\\n\"; [<nil> Invalid, spec.data TypeInvalid]",
                "spec.data; []; []",
                "spec.data; [1]; [1]",
                "spec.since; []; []",
                "spec.since; \"2026-01-01t00:00:00z\"; \"2026-01-01t00:00:00z\"",
                "spec.since; \"2026-01-01T00:00:00\"; [<nil> Invalid, spec.since TypeInvalid]",
                "spec.since; \"2025-02-29T00:00:00Z\"; [<nil> Invalid, spec.since TypeInvalid]",
                "spec.since; \"2026-01-01T24:00:00Z\"; [<nil> Invalid, spec.since TypeInvalid]",
                "spec.since; \"2026-12-31T23:59:60Z\"; [<nil> Invalid, spec.since TypeInvalid]",
                "spec.contact; {\"mail\": \"A <a@b.c>\"}; {\"mail\":\"A <a@b.c>\"}",
                "spec.contact; {\"mail\": \"a@b\"}; {\"mail\":\"a@b\"}",
                "spec.contact; {\"mail\": []}; {\"mail\":[]}",
                "spec.contact; {\"mail\": \"a@b.c@d\"}; [<nil> Invalid, spec.contact.mail TypeInvalid]",
                // lengths, sizes
                "spec.host; \"________________________________________________________________\"; [<nil> Invalid, spec.host TooLong]",
                "spec.labels; {\"a\": \"\", \"b\": \"\", \"c\": \"\", \"d\": \"\"}; [<nil> Invalid, spec.labels TooMany]",
                "spec.labels; {\"a\": \"éé\"}; {\"a\":\"éé\"}",
                "spec.labels; {\"a\": \"ééé\"}; {\"a\":\"ééé\"}",
                // lists
                "spec.ports; [1]; [<nil> Invalid, spec.ports[0] Invalid, spec.ports[0] TypeInvalid]",
                "spec.ports; [{\"number\": 1}, 1]; [<nil> Invalid, spec.ports[1] Invalid, spec.ports[1] TypeInvalid]",
                "spec.ports; [{\"number\": 1}, {\"number\": 1.0}]; [spec.ports[1] Duplicate]",
                "spec.modes; [[1], [1.0]]; [<nil> Invalid, spec.modes[0] NotSupported, spec.modes[0] TypeInvalid, spec.modes[1] Duplicate, spec.modes[1] NotSupported, spec.modes[1] TypeInvalid]",
                "status.conditions; [\"a\"]; [<nil> Invalid, status.conditions[0] Invalid, status.conditions[0] TypeInvalid]",
                "status.conditions; [{\"type\": \"a\", \"status\": \"True\", \"lastTransitionTime\": \"2026-01-01T00:00:00Z\", \"reason\": \"a\", \"message\": \"\"}, {\"type\": \"a\", \"status\": \"True\", \"lastTransitionTime\": \"2026-01-01T00:00:00Z\", \"reason\": \"a\", \"message\": \"\"}]; [status.conditions[1] Duplicate]",
                // scale
                "status.replicas; 1.0; [.status.replicas Invalid]",
                "status.replicas; -1; [.status.replicas Invalid]",
                "status.replicas; 2147483648; [.status.replicas Invalid, status Invalid]",
                "status.replicas; null; nothing",
                "status.replicas; \"a\"; [.status.replicas Invalid, <nil> Invalid, status.replicas TypeInvalid]",
                "status.selector; 1; [.status.selector Invalid, <nil> Invalid, status.selector TypeInvalid]",
                "status.selector; null; nothing",
                "status; {\"replicas\": 1.5}; [.status.replicas Invalid, <nil> Invalid, status Invalid, status.replicas TypeInvalid]",
                "status; 1; [.status.replicas Invalid, .status.selector Invalid, <nil> Invalid, status TypeInvalid]",
                "status; []; [.status.replicas Invalid, .status.selector Invalid, <nil> Invalid, status TypeInvalid]",
                // warnings
                "spec.unknown; 1; nothing [299 - \"unknown field \\\"spec.unknown\\\"\"]",
                "spec.é; 1; nothing [299 - \"unknown field \\\"spec.é\\\"\"]",
                "spec.a\"b; 1; nothing [299 - \"unknown field \\\"spec.a\\\"b\\\"\"]",
                "spec.a\tb; 1; nothing",
            })
    void judgesWhatRandomObjectsFound(String path, String value, String answer) {
        JsonObject object = JsonParser.parseString(VALID).getAsJsonObject();
        Judge judge = Judge.of(server);
        String objects = judge.path("example.com/v1", "everything");
        boolean isStatus = path.startsWith("status");
        if (isStatus) {
            assertThat(judge.send("POST", objects, VALID).object()).isNotNull();
            object.getAsJsonObject("metadata")
                    .add("resourceVersion", judge.resourceVersion("example.com/v1", "everything", "a"));
            object.add("status", JsonParser.parseString("{\"replicas\": 0}"));
        }
        int dot = path.indexOf('.');
        JsonObject parent = dot < 0 ? object : object.getAsJsonObject(path.substring(0, dot));
        String field = path.substring(dot + 1);
        parent.add(field, JsonParser.parseString(value));
        Verdict verdict = isStatus
                ? judge.send("PUT", objects + "/a/status", NULLS.toJson(object))
                : judge.send("POST", objects, NULLS.toJson(object));

        if (verdict.object() == null) {
            assertThat(verdict.causes().toString().replace("FieldValue", ""))
                    .as("%s", verdict)
                    .isEqualTo(answer);
            assertThat(verdict.code()).isEqualTo(422);
        } else {
            JsonObject kept = verdict.object().getAsJsonObject();
            JsonElement part = dot < 0
                    ? kept.get(field)
                    : kept.getAsJsonObject(path.substring(0, dot)).get(field);
            assertThat((part == null ? "nothing" : part.toString())
                            + (verdict.causes().isEmpty() ? "" : " " + verdict.causes()))
                    .isEqualTo(answer);
        }
    }

    @Test
    void judgesTheName() {
        JsonObject object = JsonParser.parseString(VALID).getAsJsonObject();
        object.getAsJsonObject("metadata").addProperty("name", "1a");

        assertThatThrownBy(() -> create(object)).hasMessageContaining("metadata.name in body should match");
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class CreateContractTest extends Contract {

    CreateContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void takesNoPlainText() {
        api.send("POST", configMaps(), Api.JSON, "text/plain", newConfigMap("a").toString())
                .refused(415, "UnsupportedMediaType");
    }

    @Test
    void answers201WithWhatTheServerSets() {
        Reply created = create("a");
        assertThat(created.code()).isEqualTo(201);
        assertThat(created.at("/kind")).isEqualTo("ConfigMap");
        assertThat(created.at("/metadata/namespace")).isEqualTo(namespace);
        assertThat(created.uid()).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        assertThat(created.version()).matches("[1-9][0-9]*");
        assertThat(created.at("/metadata/creationTimestamp")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        assertThat(created.at("/data/key")).isEqualTo("value");
    }

    @Test
    void takesKindAndVersionFromThePath() {
        Reply created =
                api.create(configMaps(), json("{'metadata':{'name':'a'}}")).ok();
        assertThat(created.at("/apiVersion")).isEqualTo("v1");
        assertThat(created.at("/kind")).isEqualTo("ConfigMap");
    }

    @Test
    void refusesANameThatIsTaken() {
        create("a");
        Reply reply = api.create(configMaps(), newConfigMap("a")).refused(409, "AlreadyExists");
        assertThat(reply.message()).isEqualTo("configmaps \"a\" already exists");
        assertThat(reply.at("/details/name")).isEqualTo("a");
        assertThat(reply.at("/details/kind")).isEqualTo("configmaps");
    }

    @Test
    void givesANameThatIsUsedAgainANewUid() {
        String first = create("a").uid();
        api.delete(configMap("a")).ok();
        assertThat(create("a").uid()).isNotEqualTo(first);
    }

    @Test
    void makesANameOutOfAPrefix() {
        ObjectNode object = json("{'metadata':{'generateName':'a-'}}");
        String first = api.create(configMaps(), object).ok().at("/metadata/name");
        String second = api.create(configMaps(), object).ok().at("/metadata/name");
        assertThat(first).matches("a-[a-z0-9]{5}").isNotEqualTo(second);
    }

    @Test
    void prefersTheNameToAPrefix() {
        Reply created = api.create(configMaps(), json("{'metadata':{'name':'b','generateName':'a-'}}"))
                .ok();
        assertThat(created.at("/metadata/name")).isEqualTo("b");
        assertThat(created.at("/metadata/generateName")).isEqualTo("a-");
    }

    @Test
    void needsAName() {
        Reply reply = api.create(configMaps(), json("{'metadata':{}}")).refused(422, "Invalid");
        assertThat(reply.message()).contains("metadata.name: Required value: name or generateName is required");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.name");
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("FieldValueRequired");
    }

    @Test
    void refusesANameThatIsNoSubdomain() {
        Reply reply = api.create(configMaps(), newConfigMap("A_b")).refused(422, "Invalid");
        assertThat(reply.message())
                .startsWith(
                        "ConfigMap \"A_b\" is invalid: metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain");
    }

    @Test
    void refusesALabelThatIsNone() {
        ObjectNode object = json("{'metadata':{'name':'a','labels':{'app':'no good'}}}");
        Reply reply = api.create(configMaps(), object).refused(422, "Invalid");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.labels");
    }

    @Test
    void refusesAFinalizerWithoutADomain() {
        ObjectNode object = json("{'metadata':{'name':'a','finalizers':['example.com/good','bad']}}");
        Reply reply = api.create(configMaps(), object).refused(422, "Invalid");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.finalizers[1]");
        assertThat(reply.message())
                .isEqualTo(
                        "ConfigMap \"a\" is invalid: metadata.finalizers[1]: Invalid value: \"bad\": name is neither a"
                                + " standard finalizer name nor is it fully qualified");
    }

    @Test
    void takesALeaseWithAFinalizerWithoutADomain() {
        ObjectNode object = json("{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'a',"
                + "'finalizers':['held']}}");
        api.create("/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases", object)
                .ok();
    }

    @Test
    void takesAnEventWithAFinalizerWithoutADomain() {
        ObjectNode object =
                json("{'metadata':{'name':'a','finalizers':['held']},'involvedObject':{'namespace':'%s'}}", namespace);
        api.create("/api/v1/namespaces/" + namespace + "/events", object).ok();
    }

    @Test
    void refusesAResourceVersion() {
        Reply reply = api.create(configMaps(), json("{'metadata':{'name':'a','resourceVersion':'5'}}"));
        assertThat(reply.code()).isEqualTo(500);
        assertThat(reply.message()).isEqualTo("resourceVersion should not be set on objects to be created");
    }

    /** The real server asks for it where it stores the object. */
    @Test
    void takesAResourceVersionThatIsNoneOrNotStored() {
        String object = "{'metadata':{'name':'a','resourceVersion':'%s'}}";
        Reply dry = api.create(configMaps() + "?dryRun=All", json(object, "5"));
        assertThat(dry.code()).isEqualTo(201);
        assertThat(dry.version()).isEqualTo("5");
        assertThat(api.create(configMaps(), json(object, "0")).code()).isEqualTo(201);
        assertThat(api.create(configMaps(), json(object, "5")).code()).isEqualTo(500);
        api.create(configMaps(), json("{'metadata':{'name':'No','resourceVersion':'5'}}"))
                .refused(422, "Invalid");
        Reply odd = api.create(configMaps(), json("{'metadata':{'name':'b','resourceVersion':'x'}}"));
        assertThat(odd.code()).isEqualTo(201);
        assertThat(odd.version()).isNotEqualTo("x");
    }

    @Test
    void refusesANamespaceThatIsNotThePaths() {
        api.create(configMaps(), json("{'metadata':{'name':'a','namespace':'other'}}"))
                .refused(400, "BadRequest");
    }

    @Test
    void refusesANamespaceThatIsNotThere() {
        Reply reply = api.create("/api/v1/namespaces/nowhere/configmaps", newConfigMap("a"))
                .refused(404, "NotFound");
        assertThat(reply.message()).isEqualTo("namespaces \"nowhere\" not found");
    }

    @Test
    void refusesAnotherKind() {
        api.create(configMaps(), json("{'apiVersion':'v1','kind':'Secret','metadata':{'name':'a'}}"))
                .refused(400, "BadRequest");
    }

    @Test
    void refusesWhatIsNoJson() {
        api.send("POST", configMaps(), Api.JSON, Api.JSON, "{\"metadata\":").refused(400, "BadRequest");
    }

    @Test
    void refusesAnUnknownMediaType() {
        api.send("POST", configMaps(), Api.JSON, "text/plain", "hello").refused(415, "UnsupportedMediaType");
    }

    @Test
    void takesYaml() {
        String yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  key: value\n";
        Reply reply = api.send("POST", configMaps(), Api.JSON, "application/yaml", yaml)
                .ok();
        assertThat(reply.at("/data/key")).isEqualTo("value");
    }

    @Test
    void refusesAValueOfTheWrongType() {
        Reply reply = api.create(configMaps(), json("{'metadata':{'name':'a'},'data':{'key':5}}"))
                .refused(400, "BadRequest");
        assertThat(reply.message()).contains("json: cannot unmarshal number into Go struct field");
    }

    @Test
    void dryRunChangesNothing() {
        Reply reply = api.create(configMaps() + "?dryRun=All", newConfigMap("a"));
        assertThat(reply.code()).isEqualTo(201);
        assertThat(reply.uid()).isNotEmpty();
        assertThat(reply.version()).isEmpty();
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void dryRunStillRefuses() {
        create("a");
        api.create(configMaps() + "?dryRun=All", newConfigMap("a")).refused(409, "AlreadyExists");
    }

    @Test
    void knowsNoOtherDryRun() {
        assertThat(api.create(configMaps() + "?dryRun=Some", newConfigMap("a")).code())
                .isEqualTo(422);
    }

    @Test
    void setsDefaultsOfADeployment() {
        Reply created = api.create(deployments(), newDeployment("d")).ok();
        assertThat(created.node("/spec/replicas").asInt()).isEqualTo(1);
        assertThat(created.at("/spec/strategy/type")).isEqualTo("RollingUpdate");
        assertThat(created.at("/spec/strategy/rollingUpdate/maxSurge")).isEqualTo("25%");
        assertThat(created.node("/spec/revisionHistoryLimit").asInt()).isEqualTo(10);
        assertThat(created.at("/spec/template/spec/restartPolicy")).isEqualTo("Always");
        assertThat(created.at("/spec/template/spec/containers/0/imagePullPolicy"))
                .isEqualTo("IfNotPresent");
        assertThat(created.node("/metadata/generation").asInt()).isEqualTo(1);
    }

    @Test
    void needsADeploymentsSelectorAndContainers() {
        Reply reply = api.create(deployments(), json("{'metadata':{'name':'d'},'spec':{'template':{}}}"))
                .refused(422, "Invalid");
        assertThat(reply.node("/details/causes").findValuesAsText("field"))
                .contains("spec.selector", "spec.template.spec.containers");
    }

    @Test
    void needsTheSelectorToMatchTheTemplate() {
        ObjectNode object = newDeployment("d");
        ((ObjectNode) object.at("/spec/selector/matchLabels")).put("app", "other");
        assertThat(api.create(deployments(), object).refused(422, "Invalid").message())
                .contains("`selector` does not match template `labels`");
    }

    @Test
    void encodesASecretsStrings() {
        Reply created = api.create(
                        "/api/v1/namespaces/" + namespace + "/secrets",
                        json("{'metadata':{'name':'s'},'stringData':{'key':'value'}}"))
                .ok();
        assertThat(created.at("/data/key"))
                .isEqualTo(Base64.getEncoder().encodeToString("value".getBytes(StandardCharsets.UTF_8)));
        assertThat(created.at("/type")).isEqualTo("Opaque");
        assertThat(created.body().has("stringData")).isFalse();
    }

    @Test
    void refusesToPostToAnObject() {
        assertThat(api.create(configMap("a"), newConfigMap("a")).code()).isEqualTo(405);
    }

    @Test
    void leavesAStatusOut() {
        ObjectNode object = newDeployment("d");
        object.putObject("status").put("replicas", 7);
        assertThat(api.create(deployments(), object)
                        .ok()
                        .node("/status/replicas")
                        .asInt(0))
                .isZero();
    }

    @Test
    void tellsOfFieldsGivenTwice() {
        String twice = "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\",\"k\":\"2\"}}";
        Reply refused = api.send("POST", configMaps() + "?fieldValidation=Strict", Api.JSON, Api.JSON, twice)
                .refused(400, "BadRequest");
        assertThat(refused.message())
                .isEqualTo("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error:"
                        + " duplicate field \"data.k\"");
        Reply warned = api.send("POST", configMaps(), Api.JSON, Api.JSON, twice).ok();
        assertThat(warned.warnings()).containsExactly("299 - \"duplicate field \\\"data.k\\\"\"");
        assertThat(warned.at("/data/k")).isEqualTo("2");
    }

    @Test
    void tellsOfKeysGivenTwiceInYaml() {
        String twice = "metadata: {name: a}\ndata:\n  k: '1'\n  k: '2'\n";
        api.send("POST", configMaps() + "?fieldValidation=Strict", Api.JSON, "application/yaml", twice)
                .refused(400, "BadRequest");
        assertThat(api.send("POST", configMaps(), Api.JSON, "application/yaml", twice)
                        .ok()
                        .warnings())
                .singleElement()
                .asString()
                .contains("key \\\"k\\\" already set in map");
    }

    @Test
    void knowsNoOtherFieldValidation() {
        api.create(configMaps() + "?fieldValidation=Roughly", newConfigMap("a")).refused(422, "Invalid");
    }

    @Test
    void refusesMetadataThatIsNone() {
        for (String metadata : List.of(
                "'finalizers':['nodomain']",
                "'annotations':{'a b':'x'}",
                "'labels':{'" + "a".repeat(64) + "':'x'}",
                "'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'a','uid':''}]")) {
            api.create(configMaps(), json("{'metadata':{'name':'a',%s}}", metadata))
                    .refused(422, "Invalid");
        }
    }

    @Test
    void refusesADataKeyThatIsNone() {
        api.create(configMaps(), json("{'metadata':{'name':'a'},'data':{'a b':'x'}}"))
                .refused(422, "Invalid");
    }

    @Test
    void takesNullForAnObjectWithoutFields() {
        api.send("POST", configMaps(), Api.JSON, Api.JSON, "null").refused(422, "Invalid");
        create("a");
        Reply refused =
                api.send("PUT", configMap("a"), Api.JSON, Api.JSON, "null").refused(400, "BadRequest");
        assertThat(refused.message()).contains("(a based on URL) was undeterminable");
    }

    @Test
    void keepsAGenerationThatItDoesNotCount() {
        ObjectNode configMap = newConfigMap("a");
        ((ObjectNode) configMap.path("metadata")).put("generation", 7);
        assertThat(api.create(configMaps(), configMap).ok().at("/metadata/generation"))
                .isEqualTo("7");
        ((ObjectNode) configMap.path("metadata")).put("generation", 9);
        assertThat(api.put(configMap("a"), configMap).ok().at("/metadata/generation"))
                .isEqualTo("7");
        ObjectNode deployment = newDeployment("d");
        ((ObjectNode) deployment.path("metadata")).put("generation", 7);
        assertThat(api.create(deployments(), deployment).ok().at("/metadata/generation"))
                .isEqualTo("1");
    }

    @Test
    void refusesBodiesThatAreNoObjects() {
        for (String body : List.of("[]", "'a", "7")) {
            Reply refused =
                    api.send("POST", configMaps(), Api.JSON, Api.JSON, body).refused(400, "BadRequest");
            assertThat(refused.message()).containsOnlyOnce("json parse error: ");
        }
    }
}

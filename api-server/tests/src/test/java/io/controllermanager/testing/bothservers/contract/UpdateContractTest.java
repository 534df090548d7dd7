package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UpdateContractTest extends Contract {

    UpdateContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void replacesAnObject() {
        ObjectNode object = (ObjectNode) create("a").body();
        object.putObject("data").put("other", "value");
        Reply updated = api.put(configMap("a"), object).ok();
        assertThat(updated.node("/data")).isEqualTo(json("{'other':'value'}"));
        assertThat(Long.parseLong(updated.version()))
                .isGreaterThan(
                        Long.parseLong(object.at("/metadata/resourceVersion").asText()));
    }

    @Test
    void keepsTheVersionWhenNothingChanges() {
        ObjectNode object = (ObjectNode) create("a").body();
        assertThat(api.put(configMap("a"), object).ok().version())
                .isEqualTo(object.at("/metadata/resourceVersion").asText());
    }

    @Test
    void keepsWhatTheServerSets() {
        Reply created = create("a");
        Reply updated = api.put(configMap("a"), newConfigMap("a", "x")).ok();
        assertThat(updated.uid()).isEqualTo(created.uid());
        assertThat(updated.at("/metadata/creationTimestamp")).isEqualTo(created.at("/metadata/creationTimestamp"));
    }

    @Test
    void takesATimeWithAFraction() {
        ObjectNode object = (ObjectNode) create("a").body();
        String created = object.at("/metadata/creationTimestamp").asText();
        ((ObjectNode) object.get("metadata")).put("creationTimestamp", created.replace("Z", ".000000Z"));
        Reply updated = api.put(configMap("a"), object).ok();
        assertThat(updated.at("/metadata/creationTimestamp")).isEqualTo(created);
        assertThat(updated.version())
                .isEqualTo(object.at("/metadata/resourceVersion").asText());
    }

    @Test
    void refusesAnOldVersion() {
        ObjectNode old = (ObjectNode) create("a").body();
        api.put(configMap("a"), newConfigMap("a", "x")).ok();
        Reply reply = api.put(configMap("a"), old).refused(409, "Conflict");
        assertThat(reply.message())
                .isEqualTo(
                        "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your"
                                + " changes to the latest version and try again");
    }

    @Test
    void needsNoVersionForABuiltInType() {
        create("a");
        assertThat(api.put(configMap("a"), newConfigMap("a", "x")).ok().at("/metadata/labels/app"))
                .isEqualTo("x");
    }

    @Test
    void refusesWhatIsNotThere() {
        api.put(configMap("a"), newConfigMap("a")).refused(404, "NotFound");
    }

    @Test
    void refusesAnotherName() {
        create("a");
        Reply reply = api.put(configMap("a"), newConfigMap("b")).refused(400, "BadRequest");
        assertThat(reply.message()).isEqualTo("the name of the object (b) does not match the name on the URL (a)");
    }

    @Test
    void refusesAnotherUid() {
        create("a");
        api.put(configMap("a"), json("{'metadata':{'name':'a','uid':'other'}}")).refused(409, "Conflict");
    }

    @Test
    void refusesToReplaceACollection() {
        assertThat(api.put(configMaps(), newConfigMap("a")).code()).isEqualTo(405);
    }

    @Test
    void dryRunChangesNothing() {
        String version = create("a").version();
        assertThat(api.put(configMap("a") + "?dryRun=All", newConfigMap("a", "x"))
                        .ok()
                        .at("/metadata/labels/app"))
                .isEqualTo("x");
        assertThat(api.get(configMap("a")).version()).isEqualTo(version);
    }

    @Test
    void countsGenerationsOfTheSpec() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply scaled = api.patch(deployment("d"), Api.MERGE_PATCH, "{'spec':{'replicas':2}}")
                .ok();
        assertThat(scaled.node("/metadata/generation").asInt()).isEqualTo(2);
        Reply labelled = api.patch(deployment("d"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
        assertThat(labelled.node("/metadata/generation").asInt()).isEqualTo(2);
    }

    @Test
    void takesNoStatusFromTheObjectItself() {
        ObjectNode object =
                (ObjectNode) api.create(deployments(), newDeployment("d")).ok().body();
        object.putObject("status").put("replicas", 3);
        Reply updated = api.put(deployment("d"), object).ok();
        assertThat(updated.node("/status/replicas").asInt(0)).isZero();
        assertThat(updated.version())
                .isEqualTo(object.at("/metadata/resourceVersion").asText());
    }

    @Test
    void refusesToChangeASelector() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply reply = api.patch(
                deployment("d"),
                Api.MERGE_PATCH,
                "{'spec':{'selector':{'matchLabels':{'x':'y'}},'template':{'metadata':{'labels':{'x':'y'}}}}}");
        assertThat(reply.refused(422, "Invalid").at("/details/causes/0/field")).isEqualTo("spec.selector");
    }

    @Test
    void refusesToChangeWhatIsImmutable() {
        ObjectNode object = newConfigMap("a").put("immutable", true);
        api.create(configMaps(), object).ok();
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'key':'other'}}").refused(422, "Invalid");
    }

    @Test
    void growsVersionsOverAllResources() {
        long first = Long.parseLong(create("a").version());
        long second = Long.parseLong(
                api.create(deployments(), newDeployment("d")).ok().version());
        long third = Long.parseLong(create("b").version());
        assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void loosesNoUpdateOfManyAtOnce() {
        create("a");
        List<CompletableFuture<Void>> writers = IntStream.range(0, 20)
                .mapToObj(i -> CompletableFuture.runAsync(
                        () -> api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'w" + i + "':'x'}}")
                                .ok()))
                .toList();
        writers.forEach(CompletableFuture::join);
        assertThat(api.get(configMap("a")).node("/data").size()).isEqualTo(21);
    }

    @Test
    void createsByAnUpdateWhatTheTypeLets() {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
        assertThat(api.put(leases + "/l", json("{'metadata':{'name':'l'}}")).code())
                .isEqualTo(201);
        api.put(leases + "/l", json("{'metadata':{'name':'l'}}")).refused(422, "Invalid");
        String roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace + "/roles";
        assertThat(api.put(roles + "/r", json("{'metadata':{'name':'r'}}")).code())
                .isEqualTo(201);
        assertThat(api.put(roles + "/r", json("{'metadata':{'name':'r'}}")).code())
                .isEqualTo(200);
        String events = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events";
        ObjectNode event = json("""
                {'metadata':{'name':'e'},'regarding':{'namespace':'%s','name':'z','kind':'Pod'},'reason':'R','action':'A',
                 'type':'Normal','eventTime':'2026-01-01T00:00:00.000000Z','reportingController':'a.b/c',
                 'reportingInstance':'i'}""", namespace);
        assertThat(api.put(events + "/e", event).code()).isEqualTo(201);
    }

    @Test
    void createsNothingThatIsToHaveAUid() {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
        Reply refused = api.put(leases + "/l", json("{'metadata':{'name':'l','uid':'5'}}"))
                .refused(409, "Conflict");
        assertThat(refused.message()).contains("Precondition failed: UID in precondition: 5, UID in object meta: ");
        api.get(leases + "/l").refused(404, "NotFound");
    }

    @Test
    void countsAGenerationForADeploymentsAnnotations() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply annotated = api.patch(deployment("d"), Api.MERGE_PATCH, "{'metadata':{'annotations':{'a':'b'}}}")
                .ok();
        assertThat(annotated.at("/metadata/generation")).isEqualTo("2");
        Reply labelled = api.patch(deployment("d"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
        assertThat(labelled.at("/metadata/generation")).isEqualTo("2");
    }

    @Test
    void takesAnnotationsButNoLabelsWithADeploymentsStatus() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply written = api.patch(
                        deployment("d") + "/status",
                        Api.MERGE_PATCH,
                        "{'metadata':{'annotations':{'a':'b'},'labels':{'a':'b'}},'spec':{'replicas':9},'status':{'replicas':3}}")
                .ok();
        assertThat(written.at("/metadata/annotations/a")).isEqualTo("b");
        assertThat(written.node("/metadata/labels").isMissingNode()).isTrue();
        assertThat(written.at("/metadata/generation")).isEqualTo("1");
        assertThat(written.at("/spec/replicas")).isEqualTo("1");
        assertThat(written.at("/status/replicas")).isEqualTo("3");
    }

    @Test
    void leavesTheTimeOfCreationAsItIs() {
        Reply created = create("a");
        String time = created.at("/metadata/creationTimestamp");
        ObjectNode object = (ObjectNode) created.body();
        ((ObjectNode) object.path("metadata")).put("creationTimestamp", "2001-01-01T00:00:00Z");
        assertThat(api.put(configMap("a"), object).ok().at("/metadata/creationTimestamp"))
                .isEqualTo(time);
    }

    @Test
    void takesVersionZeroForNone() {
        ObjectNode object = (ObjectNode) create("a").body();
        ((ObjectNode) object.path("metadata")).put("resourceVersion", "0");
        api.put(configMap("a"), object).ok();
        ((ObjectNode) object.path("metadata")).put("resourceVersion", "abc");
        assertThat(api.put(configMap("a"), object).code()).isEqualTo(500);
    }

    @Test
    void beginsNoDeletion() {
        create("a");
        for (String field : List.of("'deletionTimestamp':'2026-01-01T00:00:00Z'", "'deletionGracePeriodSeconds':5")) {
            String patch = "{'metadata':{" + field + "}}";
            assertThat(api.patch(configMap("a"), Api.MERGE_PATCH, patch)
                            .refused(422, "Invalid")
                            .message())
                    .contains("field is immutable");
        }
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':['a.b/c']}}")
                .ok();
        api.delete(configMap("a")).ok();
        Reply going =
                api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}");
        assertThat(going.ok().at("/metadata/deletionTimestamp"))
                .isEqualTo(api.get(configMap("a")).at("/metadata/deletionTimestamp"))
                .isNotEqualTo("2026-01-01T00:00:00Z");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'deletionGracePeriodSeconds':5}}")
                .refused(422, "Invalid");
    }

    @Test
    void endsADeletionWithTheLastFinalizer() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/f']}}"))
                .ok();
        api.delete(configMap("a")).ok();
        ObjectNode object = (ObjectNode) api.get(configMap("a")).ok().body();
        ((ObjectNode) object.path("metadata")).remove("finalizers");
        ((ObjectNode) object.path("metadata")).remove("deletionTimestamp");
        assertThat(api.put(configMap("a"), object).ok().at("/metadata/deletionTimestamp"))
                .isNotEmpty();
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void scalesByTheNameOfThePathOnly() {
        api.create(deployments(), newDeployment("d")).ok();
        String scale = deployment("d") + "/scale";
        api.put(scale, json("{'metadata':{'name':'other'},'spec':{'replicas':1}}"))
                .refused(400, "BadRequest");
        Reply negative = api.put(scale, json("{'metadata':{'name':'d'},'spec':{'replicas':-1}}"))
                .refused(422, "Invalid");
        assertThat(negative.message()).startsWith("Scale.autoscaling \"d\" is invalid: spec.replicas");
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who owns what is written by way of {@code status} and {@code scale}, and what such a write leaves alone. */
class SubresourceContractTest extends Contract {

    SubresourceContractTest(TestedServer server) {
        super(server);
    }

    private String things() {
        return "/apis/" + namespace + ".example.com/v1/namespaces/" + namespace + "/things";
    }

    private String thing() {
        return things() + "/t";
    }

    private void define() {
        ObjectNode crd = json("""
                {'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition','metadata':{'name':'things.%1$s'},
                 'spec':{'group':'%1$s','scope':'Namespaced','names':{'plural':'things','kind':'Thing'},
                  'versions':[{'name':'v1','served':true,'storage':true,
                   'subresources':{'status':{},
                    'scale':{'specReplicasPath':'.spec.size','statusReplicasPath':'.status.size'}},
                   'schema':{'openAPIV3Schema':{'type':'object','properties':{
                    'spec':{'type':'object','properties':{'size':{'type':'integer'},'color':{'type':'string'}}},
                    'status':{'type':'object','properties':{'phase':{'type':'string'},'size':{'type':'integer'}}}}}}}]}}
                """, namespace + ".example.com");
        api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
                .ok();
        eventually(() -> api.get(things()).ok());
    }

    private String newThing(String rest) {
        return "{'apiVersion':'%s.example.com/v1','kind':'Thing','metadata':{'name':'t'}%s}"
                .formatted(namespace, rest.isEmpty() ? "" : "," + rest);
    }

    private static String ofDeployment(String rest) {
        return "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'}" + (rest.isEmpty() ? "" : ",")
                + rest + "}";
    }

    private static String scale(String rest) {
        return "{'apiVersion':'autoscaling/v1','kind':'Scale','metadata':{'name':'d'}" + (rest.isEmpty() ? "" : ",")
                + rest + "}";
    }

    private Reply apply(String path, String manager, String configuration) {
        return api.patch(path + "?fieldManager=" + manager, Api.APPLY_PATCH, configuration);
    }

    /** The fields of an entry; missing if there is none. */
    private static JsonNode fields(Reply reply, String manager, String operation, String subresource) {
        for (JsonNode entry : reply.node("/metadata/managedFields")) {
            if (entry.path("manager").asText().equals(manager)
                    && entry.path("operation").asText().equals(operation)
                    && entry.path("subresource").asText().equals(subresource)) {
                return entry.path("fieldsV1");
            }
        }
        return json("{}").path("none");
    }

    @DefiningTest
    void anApplyToTheStatusOwnsTheStatusAlone() {
        define();
        apply(thing(), "owner", newThing("'spec':{'size':1}")).ok();
        Reply applied = apply(
                        thing() + "/status",
                        "reporter",
                        newThing("'spec':{'size':5,'color':'red'},'status':{'phase':'Good'}")
                                .replace("'name':'t'", "'name':'t','labels':{'a':'b'},'annotations':{'a':'b'}"))
                .ok();
        assertThat(applied.node("/spec")).isEqualTo(json("{'size':1}"));
        assertThat(applied.node("/status")).isEqualTo(json("{'phase':'Good'}"));
        assertThat(applied.node("/metadata").has("labels")).isFalse();
        assertThat(applied.node("/metadata").has("annotations")).isFalse();
        assertThat(applied.at("/metadata/generation")).isEqualTo("1");
        assertThat(fields(applied, "reporter", "Apply", "status")).isEqualTo(json("{'f:status':{'f:phase':{}}}"));
        assertThat(fields(applied, "owner", "Apply", "")).isEqualTo(json("{'f:spec':{'f:size':{}}}"));

        apply(thing() + "/status", "other", newThing("'status':{'phase':'Bad'}"))
                .refused(409, "Conflict");
        Reply given = apply(thing() + "/status", "reporter", newThing("")).ok();
        assertThat(given.node("/status/phase").isMissingNode()).isTrue();
        assertThat(fields(given, "reporter", "Apply", "status").isMissingNode()).isTrue();
    }

    @DefiningTest
    void anApplyToTheObjectLeavesTheStatusAlone() {
        define();
        Reply created = apply(thing(), "owner", newThing("'spec':{'size':1},'status':{'phase':'None'}"))
                .ok();
        assertThat(created.body().has("status")).isFalse();
        assertThat(fields(created, "owner", "Apply", "")).isEqualTo(json("{'f:spec':{'f:size':{}}}"));
        Reply reported = api.patch(
                        thing() + "/status?fieldManager=reporter", Api.MERGE_PATCH, "{'status':{'phase':'Good'}}")
                .ok();
        Reply applied = apply(thing(), "owner", newThing("'spec':{'size':1},'status':{'phase':'Bad'}"))
                .ok();
        assertThat(applied.at("/status/phase")).isEqualTo("Good");
        assertThat(applied.version()).isEqualTo(reported.version());
        assertThat(fields(applied, "owner", "Apply", "")).isEqualTo(json("{'f:spec':{'f:size':{}}}"));
    }

    @DefiningTest
    void anUpdateOfTheStatusOwnsTheStatusAlone() {
        define();
        ObjectNode object = (ObjectNode) api.create(
                        things() + "?fieldManager=owner", json(newThing("'spec':{'size':1},'status':{'phase':'None'}")))
                .ok()
                .body();
        assertThat(object.at("/metadata/managedFields/0/fieldsV1").has("f:status"))
                .isFalse();
        object.putObject("status").put("phase", "Good");
        ((ObjectNode) object.get("spec")).put("size", 5);
        ((ObjectNode) object.get("metadata")).putObject("labels").put("a", "b");
        Reply updated =
                api.put(thing() + "/status?fieldManager=reporter", object).ok();
        JsonNode reported = fields(updated, "reporter", "Update", "status");
        assertThat(reported).hasSize(1);
        assertThat(reported.at("/f:status/f:phase").isObject()).isTrue();
        assertThat(fields(updated, "owner", "Update", "").at("/f:spec/f:size").isObject())
                .isTrue();
    }

    @Test
    void anApplyToABuiltInStatusTakesAnnotationsButNoLabelsOfADeployment() {
        apply(deployment("d"), "owner", newDeployment("d").toString()).ok();
        String status =
                ofDeployment("'spec':{'replicas':5,'paused':true},'status':{'replicas':3,'observedGeneration':1}");
        Reply applied = apply(
                        deployment("d") + "/status",
                        "reporter",
                        status.replace("'name':'d'", "'name':'d','labels':{'a':'b'},'annotations':{'a':'b'}"))
                .ok();
        assertThat(applied.at("/spec/replicas")).isEqualTo("1");
        assertThat(applied.at("/status/replicas")).isEqualTo("3");
        assertThat(applied.node("/metadata/labels").isMissingNode()).isTrue();
        assertThat(applied.at("/metadata/annotations/a")).isEqualTo("b");
        assertThat(fields(applied, "reporter", "Apply", "status"))
                .isEqualTo(json("{'f:metadata':{'f:annotations':{'f:a':{}}},"
                        + "'f:status':{'f:replicas':{},'f:observedGeneration':{}}}"));
    }

    @Test
    void anApplyToABuiltInObjectLeavesTheStatusAlone() {
        apply(deployment("d"), "owner", newDeployment("d").toString()).ok();
        Reply applied = apply(deployment("d"), "other", ofDeployment("'spec':{'paused':true},'status':{'replicas':3}"))
                .ok();
        assertThat(applied.node("/status/replicas").isMissingNode()).isTrue();
        assertThat(fields(applied, "other", "Apply", "")).isEqualTo(json("{'f:spec':{'f:paused':{}}}"));
    }

    @Test
    void aPodsStatusTakesNoOwner() {
        String pods = "/api/v1/namespaces/" + namespace + "/pods";
        api.create(
                        pods,
                        json("{'metadata':{'name':'p'},'spec':{'automountServiceAccountToken':false,"
                                + "'containers':[{'name':'main','image':'image:1'}]}}"))
                .ok();
        Reply patched = api.patch(
                        pods + "/p/status?fieldManager=kubelet",
                        Api.MERGE_PATCH,
                        "{'metadata':{'labels':{'a':'b'},'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap',"
                                + "'name':'x','uid':'y'}]},'spec':{'activeDeadlineSeconds':5},"
                                + "'status':{'phase':'Running'}}")
                .ok();
        assertThat(patched.node("/metadata/ownerReferences").isMissingNode()).isTrue();
        assertThat(patched.at("/metadata/labels/a")).isEqualTo("b");
        assertThat(patched.node("/spec/activeDeadlineSeconds").isMissingNode()).isTrue();
        assertThat(patched.at("/status/phase")).isEqualTo("Running");
        JsonNode fields = fields(patched, "kubelet", "Update", "status");
        assertThat(fields.has("f:spec")).isFalse();
        assertThat(fields.path("f:metadata").has("f:ownerReferences")).isFalse();
    }

    @Test
    void anApprovalChangesTheConditionsAlone() {
        String requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
        String request = requests + "/" + namespace;
        api.create(requests, json("""
                {'metadata':{'name':'%s'},'spec':{'signerName':'example.com/a','usages':['digital signature'],'request':'\
                LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VH\
                Q0NxR1NNNDlBd0VIQTBJQQpCRVh4WStvM1E5bmttNFJmUGRLa09TL1p0eWU2dG54anRWbFVoNHY3RS85bEJ1Rno5ZzgwcGVYNWlIQk9jd1hEClNM\
                WXVqb0Z6UFJjTmVhZzQxVTlqallLZ0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpQjlndytRZG9BamRHSlIKTWNhaEhPUzgvdFZxUEtUbmMyTU1T\
                NDZPTldSUllBSWhBTk02NC9sS2hVb2RsOTE3bWJNblN2L3JqZSthVEdxawpwWWFYaHZlZVRIaFEKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVT\
                VC0tLS0tCg=='}}""", namespace)).ok();
        Reply approved = api.patch(
                        request + "/approval",
                        Api.MERGE_PATCH,
                        "{'spec':{'signerName':'example.com/b'},'status':{'certificate':'YQ==',"
                                + "'conditions':[{'type':'Approved','status':'True','reason':'Test'}]}}")
                .ok();
        assertThat(approved.at("/spec/signerName")).isEqualTo("example.com/a");
        assertThat(approved.node("/status").has("certificate")).isFalse();
        assertThat(approved.at("/status/conditions/0/type")).isEqualTo("Approved");
        assertThat(approved.at("/status/conditions/0/lastUpdateTime")).isNotEmpty();
        assertThat(approved.at("/status/conditions/0/lastTransitionTime")).isNotEmpty();
        assertThat(api.get(request + "/approval").ok().body()).isEqualTo(approved.body());
        api.delete(request).ok();
    }

    @Test
    void anApplyScales() {
        api.create(deployments() + "?fieldManager=creator", newDeployment("d")).ok();
        Reply conflict = apply(deployment("d") + "/scale", "scaler", scale("'spec':{'replicas':3}"))
                .refused(409, "Conflict");
        assertThat(conflict.message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"creator\" using autoscaling/v1:"
                        + " .spec.replicas");
        Reply scaled = api.patch(
                        deployment("d") + "/scale?fieldManager=scaler&force=true",
                        Api.APPLY_PATCH,
                        scale("'spec':{'replicas':3}"))
                .ok();
        assertThat(scaled.at("/kind")).isEqualTo("Scale");
        assertThat(scaled.at("/spec/replicas")).isEqualTo("3");
        assertThat(scaled.node("/metadata/managedFields").isMissingNode()).isTrue();
        Reply deployment = api.get(deployment("d")).ok();
        assertThat(deployment.at("/spec/replicas")).isEqualTo("3");
        assertThat(deployment.at("/metadata/generation")).isEqualTo("2");
        assertThat(fields(deployment, "scaler", "Apply", "scale")).isEqualTo(json("{'f:spec':{'f:replicas':{}}}"));
        JsonNode creators = fields(deployment, "creator", "Update", "");
        assertThat(creators.path("f:spec").has("f:replicas")).isFalse();
        assertThat(creators.path("f:spec").has("f:selector")).isTrue();

        String version = deployment.version();
        assertThat(apply(deployment("d") + "/scale", "scaler", scale("'spec':{'replicas':3}"))
                        .ok()
                        .version())
                .isEqualTo(version);
        assertThat(apply(deployment("d"), "other", ofDeployment("'spec':{'replicas':5}"))
                        .refused(409, "Conflict")
                        .message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"scaler\" with subresource \"scale\":"
                        + " .spec.replicas");
    }

    private static ObjectNode withReplicas() {
        ObjectNode deployment = newDeployment("d");
        ((ObjectNode) deployment.path("spec")).put("replicas", 1);
        return deployment;
    }

    @Test
    void replicasThatNobodyOwnsBelongToBeforeTheFirstApply() {
        apply(deployment("d"), "owner", newDeployment("d").toString()).ok();
        String scale = deployment("d") + "/scale";
        api.patch(scale + "?fieldManager=merge", Api.MERGE_PATCH, "{'spec':{'replicas':2}}")
                .ok();
        assertThat(fields(api.get(deployment("d")), "merge", "Update", "scale").isMissingNode())
                .isTrue();
        assertThat(apply(scale, "scaler", scale("'spec':{'replicas':3}"))
                        .refused(409, "Conflict")
                        .message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"before-first-apply\" with subresource"
                        + " \"scale\" using autoscaling/v1: .spec.replicas");
    }

    @Test
    void anyWriteOfAScaleOwnsTheReplicas() {
        apply(deployment("d"), "owner", withReplicas().toString()).ok();
        String scale = deployment("d") + "/scale";
        api.patch(scale + "?fieldManager=merge", Api.MERGE_PATCH, "{'spec':{'replicas':2}}")
                .ok();
        assertScaledBy("merge");
        api.patch(scale + "?fieldManager=json", Api.JSON_PATCH, "[{'op':'replace','path':'/spec/replicas','value':3}]")
                .ok();
        assertScaledBy("json");
        api.patch(scale + "?fieldManager=strategic", Api.STRATEGIC_PATCH, "{'spec':{'replicas':4}}")
                .ok();
        assertScaledBy("strategic");
        ObjectNode seen = (ObjectNode) api.get(scale).ok().body();
        ((ObjectNode) seen.get("spec")).put("replicas", 5);
        api.put(scale + "?fieldManager=put", seen).ok();
        assertScaledBy("put");
        api.put(scale, seen).refused(409, "Conflict");
        assertThat(apply(deployment("d"), "other", ofDeployment("'spec':{'replicas':9}"))
                        .refused(409, "Conflict")
                        .message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"put\" with subresource \"scale\""
                        + " using apps/v1: .spec.replicas");
    }

    private void assertScaledBy(String manager) {
        Reply deployment = api.get(deployment("d")).ok();
        assertThat(fields(deployment, manager, "Update", "scale")).isEqualTo(json("{'f:spec':{'f:replicas':{}}}"));
        assertThat(deployment.node("/metadata/managedFields"))
                .filteredOn(entry -> entry.at("/fieldsV1/f:spec").has("f:replicas"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {Api.MERGE_PATCH, Api.STRATEGIC_PATCH, "PUT"})
    void nobodyOwnsNoReplicas(String type) {
        api.create(deployments(), newDeployment("d")).ok();
        apply(deployment("d"), "owner&force=true", ofDeployment("'spec':{'replicas':1}"))
                .ok();
        String scale = deployment("d") + "/scale?fieldManager=scaler";
        Reply scaled = type.equals("PUT")
                ? api.put(scale, json(scale("'spec':{'replicas':0}")))
                : api.patch(scale, type, "{'spec':{'replicas':0}}");
        scaled.ok();
        assertThat(api.get(deployment("d")).at("/spec/replicas")).isEqualTo("0");
        apply(deployment("d"), "owner", ofDeployment("'spec':{'replicas':3}")).ok();
    }

    @Test
    void scalesByAnApplyWhatHasReplicas() {
        for (String kind : List.of("StatefulSet", "ReplicaSet")) {
            String path = deployments().replace("deployments", kind.toLowerCase(Locale.ROOT) + "s");
            ObjectNode object = withReplicas().put("kind", kind);
            if (kind.equals("StatefulSet")) {
                ((ObjectNode) object.path("spec")).put("serviceName", "d");
            }
            apply(path + "/d", "owner", object.toString()).ok();
            apply(path + "/d/scale", "scaler", scale("'spec':{'replicas':2}")).refused(409, "Conflict");
            assertThat(apply(path + "/d/scale", "owner&force=true", scale("'spec':{'replicas':2}"))
                            .ok()
                            .at("/spec/replicas"))
                    .isEqualTo("2");
            assertThat(api.get(path + "/d").at("/spec/replicas")).isEqualTo("2");
        }
    }

    @Test
    void scalesOnlyByAScale() {
        api.create(deployments(), newDeployment("d")).ok();
        String scale = deployment("d") + "/scale";
        apply(scale, "m", ofDeployment("'spec':{'replicas':3}")).refused(400, "BadRequest");
        apply(scale, "m", scale("").replace("'d'", "'other'")).refused(400, "BadRequest");
        apply(deployment("none") + "/scale", "m", scale("").replace("'d'", "'none'"))
                .refused(404, "NotFound");
        assertThat(apply(scale, "m", scale("'spec':{'replicas':'x'}")).code()).isEqualTo(500);
        assertThat(apply(scale, "m", scale("'spec':{'size':1}")).code()).isEqualTo(500);
        api.patch(scale + "?fieldManager=m&force=true", Api.APPLY_PATCH, scale("'spec':{'replicas':-1}"))
                .refused(422, "Invalid");
        api.put(scale, json(scale("'spec':{'replicas':'x'}"))).refused(400, "BadRequest");
        api.put(scale, json(ofDeployment("'spec':{'replicas':3}"))).refused(400, "BadRequest");
        api.put(scale, json(scale("'spec':{'replicas':-1}"))).refused(422, "Invalid");
        api.put(scale, json(scale("").replace("'name':'d'", "'name':'d','uid':'other'")))
                .refused(409, "Conflict");
        api.patch(scale, Api.MERGE_PATCH, "{'spec':{'replicas':'x'}}").refused(422, "Invalid");
        api.patch(scale, Api.MERGE_PATCH, "{'spec':{'replicas':-1}}").refused(422, "Invalid");
        assertThat(api.get(deployment("d")).at("/spec/replicas")).isEqualTo("1");
        assertThat(api.patch(scale + "?dryRun=All", Api.MERGE_PATCH, "{'spec':{'replicas':7}}")
                        .ok()
                        .at("/spec/replicas"))
                .isEqualTo("7");
        assertThat(api.get(deployment("d")).at("/spec/replicas")).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'matchLabels':{'b':'c','a':'b'}} | a=b,b=c",
                "{'matchLabels':{'b':'c'},'matchExpressions':[{'key':'q','operator':'NotIn','values':['z','y']},"
                        + "{'key':'e','operator':'DoesNotExist'},{'key':'a','operator':'Exists'},"
                        + "{'key':'b','operator':'In','values':['d','c']}]} | a,b=c,b in (c,d),!e,q notin (y,z)",
            })
    void writesASelectorAsAListTakesIt(String selector, String text) {
        ObjectNode deployment = newDeployment("d");
        ((ObjectNode) deployment.path("spec")).set("selector", json(selector));
        deployment.withObject("/spec/template/metadata").set("labels", json("{'a':'b','b':'c'}"));
        api.create(deployments(), deployment).ok();
        assertThat(api.get(deployment("d") + "/scale").ok().at("/status/selector"))
                .isEqualTo(text);
        Reply table = api.get(deployments(), "application/json;as=Table;v=v1;g=meta.k8s.io");
        assertThat(table.node("/rows/0/cells").path(7).asText()).isEqualTo(text);
        String pods = "/api/v1/namespaces/" + namespace + "/pods?labelSelector=";
        api.get(pods + text.replace("!", "%21").replace(" ", "%20")).ok();
    }

    @Test
    void writesTheSelectorOfAReplicationController() {
        String controllers = "/api/v1/namespaces/" + namespace + "/replicationcontrollers";
        api.create(controllers, json("""
                        {'metadata':{'name':'r'},'spec':{'replicas':0,'selector':{'b':'c','a':'b'},'template':{
                          'metadata':{'labels':{'a':'b','b':'c'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}""")).ok();
        Reply scale = api.get(controllers + "/r/scale").ok();
        assertThat(scale.at("/status/selector")).isEqualTo("a=b,b=c");
        assertThat(scale.node("/spec").isEmpty())
                .as("nothing tells of no replicas")
                .isTrue();
    }

    @Test
    void showsAScaleAsATable() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply table = api.get(deployment("d") + "/scale", "application/json;as=Table;v=v1;g=meta.k8s.io")
                .ok();
        assertThat(table.node("/columnDefinitions").findValuesAsText("name"))
                .containsExactly("Name", "Desired", "Available", "Age");
        assertThat(table.node("/rows/0/cells/1").asInt()).isEqualTo(1);
    }

    @DefiningTest
    void scalesACustomResource() {
        define();
        String scale = thing() + "/scale";
        api.create(things() + "?fieldManager=creator", json(newThing("'spec':{'color':'red'}")))
                .ok();
        assertThat(api.get(scale).refused(500, "InternalError").message())
                .isEqualTo("Internal error occurred: the spec replicas field \".spec.size\" does not exist");
        api.patch(scale, Api.MERGE_PATCH, "{}").refused(400, "BadRequest");
        api.patch(scale, Api.STRATEGIC_PATCH, "{}").refused(415, "UnsupportedMediaType");
        Reply merged = api.patch(scale + "?fieldManager=merge", Api.MERGE_PATCH, "{'spec':{'replicas':4}}")
                .ok();
        assertThat(merged.at("/spec/replicas")).isEqualTo("4");
        assertThat(api.get(thing()).at("/spec/size")).isEqualTo("4");
        api.patch(scale, Api.MERGE_PATCH, "{'spec':{'replicas':-1}}").refused(422, "Invalid");
        api.patch(scale + "?fieldManager=scaler", Api.MERGE_PATCH, "{'spec':{'replicas':0}}")
                .ok();
        apply(thing(), "owner", newThing("'spec':{'size':3}")).ok();
    }

    /** The real server cannot convert a Scale that it has merged itself. */
    @DefiningTest
    void appliesNoScaleThatChangesACustomResource() {
        define();
        String scale = thing() + "/scale";
        String three = scale("'spec':{'replicas':3}").replace("'d'", "'t'");
        api.create(things() + "?fieldManager=creator", json(newThing("'spec':{'color':'red'}")))
                .ok();
        cannotConvert(apply(scale, "scaler", three));
        api.patch(thing() + "?fieldManager=owner", Api.MERGE_PATCH, "{'spec':{'size':2}}")
                .ok();
        api.patch(scale + "?fieldManager=merge", Api.MERGE_PATCH, "{'spec':{'replicas':4}}")
                .ok();
        Reply merged = api.get(thing()).ok();
        assertThat(merged.at("/spec/size")).isEqualTo("4");
        assertThat(fields(merged, "merge", "Update", "scale")).isEqualTo(json("{'f:spec':{'f:size':{}}}"));
        assertThat(fields(merged, "owner", "Update", "").isMissingNode()).isTrue();
        assertThat(apply(thing(), "other", newThing("'spec':{'size':5}"))
                        .refused(409, "Conflict")
                        .message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"merge\" with subresource \"scale\""
                        + " using " + namespace + ".example.com/v1: .spec.size");
        assertThat(apply(scale, "scaler", three).refused(409, "Conflict").message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"merge\" with subresource \"scale\""
                        + " using autoscaling/v1: .spec.replicas");
        cannotConvert(apply(scale, "scaler&force=true", three));
        assertThat(api.get(thing()).at("/spec/size")).isEqualTo("4");
    }

    private static void cannotConvert(Reply reply) {
        assertThat(reply.code()).isEqualTo(500);
        assertThat(reply.message()).endsWith("request to convert CR to an invalid group/version: autoscaling/v1");
    }
}

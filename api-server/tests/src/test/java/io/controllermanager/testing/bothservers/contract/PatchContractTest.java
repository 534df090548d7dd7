package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatchContractTest extends Contract {

    PatchContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void mergesAndRemoves() {
        create("a");
        Reply patched = api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'key':null,'new':'x'}}")
                .ok();
        assertThat(patched.node("/data")).isEqualTo(json("{'new':'x'}"));
    }

    @Test
    void keepsTheVersionWhenAPatchChangesNothing() {
        String version = create("a").version();
        assertThat(api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'key':'value'}}")
                        .ok()
                        .version())
                .isEqualTo(version);
        assertThat(api.patch(configMap("a"), Api.MERGE_PATCH, "{}").ok().version())
                .isEqualTo(version);
    }

    @Test
    void locksOptimisticallyWhenThePatchSaysSo() {
        create("a");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'resourceVersion':'1'}}")
                .refused(409, "Conflict");
    }

    @Test
    void refusesToRename() {
        create("a");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'name':'b'}}").refused(400, "BadRequest");
    }

    @Test
    void refusesToChangeTheUid() {
        create("a");
        Reply reply = api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'uid':'x'}}")
                .refused(422, "Invalid");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.uid");
    }

    @Test
    void replacesListsOfABuiltInTypeByMergePatch() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply patched = api.patch(
                        deployment("d"),
                        Api.MERGE_PATCH,
                        "{'spec':{'template':{'spec':{'containers':[{'name':'only','image':'i'}]}}}}")
                .ok();
        assertThat(patched.node("/spec/template/spec/containers").findValuesAsText("image"))
                .containsExactly("i");
    }

    @Test
    void carriesOutJsonPatches() {
        create("a");
        Reply patched = api.patch(
                        configMap("a"),
                        Api.JSON_PATCH,
                        "[{'op':'test','path':'/data/key','value':'value'},{'op':'add','path':'/data/b','value':'1'},"
                                + "{'op':'copy','from':'/data/b','path':'/data/c'},{'op':'remove','path':'/data/key'}]")
                .ok();
        assertThat(patched.node("/data")).isEqualTo(json("{'b':'1','c':'1'}"));
    }

    @Test
    void refusesAJsonPatchWhoseTestFails() {
        create("a");
        api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'test','path':'/data/key','value':'x'}]")
                .refused(422, "Invalid");
    }

    @Test
    void refusesAJsonPatchOfWhatIsNotThere() {
        create("a");
        api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'remove','path':'/data/no'}]")
                .refused(422, "Invalid");
    }

    @Test
    void addsWhatAJsonPatchReplacesAndIsNotThere() {
        create("a");
        Reply reply = api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'replace','path':'/data/no','value':'x'}]");
        assertThat(reply.ok().at("/data/no")).isEqualTo("x");
    }

    @Test
    void mergesListsByTheirKeyStrategically() {
        api.create(deployments(), newDeployment("d")).ok();
        JsonNode containers = strategic("{'spec':{'template':{'spec':{'containers':[{'name':'side','image':'new'},"
                        + "{'name':'third','image':'image:3'}]}}}}")
                .node("/spec/template/spec/containers");
        assertThat(containers.findValuesAsText("image")).containsExactly("image:1", "new", "image:3");
    }

    @Test
    void mergesNestedListsStrategically() {
        api.create(deployments(), newDeployment("d")).ok();
        JsonNode env = strategic(
                        "{'spec':{'template':{'spec':{'containers':[{'name':'main','env':[{'name':'B','value':'2'}]}]}}}}")
                .node("/spec/template/spec/containers/0/env");
        assertThat(env.findValuesAsText("name")).containsExactly("B", "A");
    }

    @Test
    void deletesFromListsStrategically() {
        api.create(deployments(), newDeployment("d")).ok();
        JsonNode containers = strategic(
                        "{'spec':{'template':{'spec':{'containers':[{'name':'side','$patch':'delete'}]}}}}")
                .node("/spec/template/spec/containers");
        assertThat(containers.findValuesAsText("image")).containsExactly("image:1");
    }

    @Test
    void replacesListsStrategicallyOnRequest() {
        api.create(deployments(), newDeployment("d")).ok();
        JsonNode containers = strategic(
                        "{'spec':{'template':{'spec':{'containers':[{'$patch':'replace'},{'name':'only','image':'i'}]}}}}")
                .node("/spec/template/spec/containers");
        assertThat(containers.findValuesAsText("image")).containsExactly("i");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'$patch':'foo','data':{'a':'b'}}",
                "{'$patch':'merge'}",
                "{'data':{'$patch':'foo'}}",
            })
    void failsByADirectiveThatItDoesNotKnow(String patch) {
        create("a");
        Reply failed = api.patch(configMap("a"), Api.STRATEGIC_PATCH, patch);
        assertThat(failed.code()).isEqualTo(500);
        assertThat(failed.message()).startsWith("unknown patch type: ");
    }

    @Test
    void ordersListsStrategically() {
        api.create(deployments(), newDeployment("d")).ok();
        JsonNode containers = strategic(
                        "{'spec':{'template':{'spec':{'$setElementOrder/containers':[{'name':'side'},{'name':'main'}],"
                                + "'containers':[{'name':'side','image':'new'}]}}}}")
                .node("/spec/template/spec/containers");
        assertThat(containers.findValuesAsText("image")).containsExactly("new", "image:1");
    }

    @Test
    void retainsKeysStrategically() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply patched = strategic("{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}}");
        assertThat(patched.node("/spec/strategy")).isEqualTo(json("{'type':'Recreate'}"));
    }

    @Test
    void removesFinalizersStrategically() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/a','example.com/b']}}"))
                .ok();
        Reply patched = api.patch(
                        configMap("a"),
                        Api.STRATEGIC_PATCH,
                        "{'metadata':{'$deleteFromPrimitiveList/finalizers':['example.com/a']}}")
                .ok();
        assertThat(patched.node("/metadata/finalizers"))
                .extracting(JsonNode::asText)
                .containsExactly("example.com/b");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    private Reply strategic(String patch) {
        return api.patch(deployment("d"), Api.STRATEGIC_PATCH, patch).ok();
    }

    @Test
    void refusesAnUnknownKindOfPatch() {
        create("a");
        api.patch(configMap("a"), "text/plain", "{}").refused(415, "UnsupportedMediaType");
    }

    @Test
    void refusesToPatchWhatIsNotThere() {
        api.patch(configMap("a"), Api.MERGE_PATCH, "{}").refused(404, "NotFound");
    }

    @Test
    void dryRunChangesNothing() {
        create("a");
        assertThat(api.patch(configMap("a") + "?dryRun=All", Api.MERGE_PATCH, "{'data':{'key':'x'}}")
                        .ok()
                        .at("/data/key"))
                .isEqualTo("x");
        assertThat(api.get(configMap("a")).at("/data/key")).isEqualTo("value");
    }

    @Test
    void refusesUnknownFieldsOfAPatchWhenStrict() {
        create("a");
        for (String type : List.of(Api.MERGE_PATCH, Api.STRATEGIC_PATCH)) {
            Reply refused = api.patch(configMap("a") + "?fieldValidation=Strict", type, "{'bogus':1}")
                    .refused(422, "Invalid");
            assertThat(refused.at("/details/causes/0/field")).isEqualTo("patch");
            assertThat(refused.message()).contains("strict decoding error: unknown field \"bogus\"");
        }
    }

    @Test
    void refusesAPatchToAValueOfTheWrongType() {
        create("a");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'k':1}}").refused(422, "Invalid");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'kind':'Secret'}").refused(422, "Invalid");
        api.patch(configMap("a"), Api.MERGE_PATCH, "[]").refused(400, "BadRequest");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{").refused(400, "BadRequest");
    }

    @Test
    void refusesAnUnknownOperation() {
        create("a");
        api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'bogus','path':'/data'}]")
                .refused(422, "Invalid");
        api.patch(configMap("a"), Api.JSON_PATCH, "{}").refused(400, "BadRequest");
    }

    @Test
    void refusesForceButForApply() {
        create("a");
        api.patch(configMap("a") + "?force=true", Api.MERGE_PATCH, "{}").refused(422, "Invalid");
    }

    @Test
    void takesWhatIsNotThereForNull() {
        create("a");
        Reply copied = api.patch(
                        configMap("a"), Api.JSON_PATCH, "[{'op':'copy','from':'/data/none','path':'/data/copy'}]")
                .ok();
        assertThat(copied.at("/data/copy")).isEmpty();
        assertThat(copied.node("/data").has("copy")).isTrue();
        for (String test : List.of("'value':null,'path':'/data/none'", "'path':'/data/none'")) {
            api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'test'," + test + "}]")
                    .ok();
        }
        for (String operation : List.of(
                "'op':'test','path':'/data/key','value':null",
                "'op':'test','path':'/data/none','value':'x'",
                "'op':'test','path':'/none/none','value':null",
                "'op':'copy','from':'/none/none','path':'/data/copy'",
                "'op':'move','from':'/data/none','path':'/data/copy'")) {
            Reply refused = api.patch(configMap("a"), Api.JSON_PATCH, "[{" + operation + "}]")
                    .refused(422, "Invalid");
            assertThat(refused.node("/details").isObject()).isTrue();
        }
    }

    @Test
    void keepsANullInAMapOfTextsAsTheEmptyText() {
        create("a");
        Reply patched = api.patch(configMap("a"), Api.JSON_PATCH, "[{'op':'add','path':'/data/a','value':null}]")
                .ok();
        assertThat(patched.node("/data/a").isTextual()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"string", "number", "bool", "array"})
    void refusesAPatchThatIsNoObject(String kind) {
        create("a");
        String value = Map.of("string", "'x'", "number", "1", "bool", "true", "array", "[]")
                .get(kind);
        String wrong = "json: cannot unmarshal " + kind + " into Go value of type map[string]interface {}";
        assertThat(api.patch(configMap("a"), Api.STRATEGIC_PATCH, value)
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo(wrong);
        assertThat(api.patch(configMap("a"), Api.MERGE_PATCH, value)
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo("error decoding patch: " + wrong);
    }

    @Test
    void takesNoPatchAtAll() {
        Reply created = create("a");
        assertThat(api.patch(configMap("a"), Api.JSON_PATCH, "null").ok().version())
                .isEqualTo(created.version());
        api.patch(configMap("a"), Api.MERGE_PATCH, "null").refused(400, "BadRequest");
    }
}

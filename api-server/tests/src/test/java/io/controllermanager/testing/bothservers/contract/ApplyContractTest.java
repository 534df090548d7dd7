package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplyContractTest extends Contract {

    ApplyContractTest(TestedServer server) {
        super(server);
    }

    private Reply apply(String name, String manager, String configuration) {
        return api.patch(configMap(name) + "?fieldManager=" + manager, Api.APPLY_PATCH, configuration);
    }

    private static String data(String data) {
        return "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{" + data + "}}";
    }

    @Test
    void createsWhatIsNotThere() {
        Reply applied = apply("a", "one", data("'x':'1'"));
        assertThat(applied.code()).isEqualTo(201);
        assertThat(applied.at("/metadata/managedFields/0/manager")).isEqualTo("one");
        assertThat(applied.at("/metadata/managedFields/0/operation")).isEqualTo("Apply");
        assertThat(applied.node("/metadata/managedFields/0/fieldsV1/f:data/f:x").isObject())
                .isTrue();
    }

    @Test
    void needsAManager() {
        api.patch(configMap("a"), Api.APPLY_PATCH, data("'x':'1'")).refused(422, "Invalid");
    }

    @Test
    void keepsTheVersionWhenNothingChanges() {
        String version = apply("a", "one", data("'x':'1'")).ok().version();
        assertThat(apply("a", "one", data("'x':'1'")).ok().version()).isEqualTo(version);
    }

    /** One that applies it again must find nothing to write: operators do so with every child. */
    @Test
    void hasAnOwnerReferenceAsAWhole() {
        String owner = create("owner").at("/metadata/uid");
        String child = "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','ownerReferences':["
                + "{'apiVersion':'v1','kind':'ConfigMap','name':'owner','uid':'" + owner + "'}]}}";

        Reply applied = apply("a", "one", child).ok();
        assertThat(applied.node("/metadata/managedFields/0/fieldsV1/f:metadata/f:ownerReferences"))
                .hasSize(1)
                .allSatisfy(reference -> assertThat(reference).isEmpty());
        assertThat(apply("a", "one", child).ok().version()).isEqualTo(applied.version());
    }

    @Test
    void removesWhatItsManagerNoLongerApplies() {
        apply("a", "one", data("'x':'1','y':'2'")).ok();
        assertThat(apply("a", "one", data("'y':'2'")).ok().node("/data")).isEqualTo(json("{'y':'2'}"));
    }

    @Test
    void leavesWhatOthersManage() {
        apply("a", "one", data("'x':'1'")).ok();
        apply("a", "two", data("'y':'2'")).ok();
        assertThat(apply("a", "one", data("'z':'3'")).ok().node("/data")).isEqualTo(json("{'y':'2','z':'3'}"));
    }

    @Test
    void namesTheOtherManagerInAConflict() {
        apply("a", "one", data("'x':'1'")).ok();
        Reply reply = apply("a", "two", data("'x':'2'")).refused(409, "Conflict");
        assertThat(reply.message()).isEqualTo("Apply failed with 1 conflict: conflict with \"one\": .data.x");
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("FieldManagerConflict");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo(".data.x");
    }

    @Test
    void namesAManagerThatUpdatedInAConflict() {
        apply("a", "one", data("'x':'1'")).ok();
        api.patch(configMap("a") + "?fieldManager=editor", Api.MERGE_PATCH, "{'data':{'x':'5'}}")
                .ok();
        Reply reply = apply("a", "one", data("'x':'1'")).refused(409, "Conflict");
        assertThat(reply.message()).startsWith("Apply failed with 1 conflict: conflict with \"editor\" using v1");
    }

    @Test
    void takesOverByForce() {
        apply("a", "one", data("'x':'1'")).ok();
        Reply forced = api.patch(configMap("a") + "?fieldManager=two&force=true", Api.APPLY_PATCH, data("'x':'2'"))
                .ok();
        assertThat(forced.at("/data/x")).isEqualTo("2");
        assertThat(forced.node("/metadata/managedFields").findValuesAsText("manager"))
                .containsExactly("two");
    }

    @Test
    void sharesAFieldOfTheSameValue() {
        apply("a", "one", data("'x':'1'")).ok();
        apply("a", "two", data("'x':'1'")).ok();
        assertThat(apply("a", "one", data("")).ok().at("/data/x")).isEqualTo("1");
        assertThat(apply("a", "two", data("")).ok().node("/data/x").isMissingNode())
                .isTrue();
    }

    @Test
    void mergesListsByTheirKeys() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply applied = api.patch(
                        deployment("d") + "?fieldManager=one",
                        Api.APPLY_PATCH,
                        "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'},'spec':{'template':{'spec':"
                                + "{'containers':[{'name':'third','image':'image:3'}]}}}}")
                .ok();
        assertThat(applied.node("/spec/template/spec/containers").findValuesAsText("image"))
                .containsExactly("image:1", "image:2", "image:3");
        Reply without = api.patch(
                        deployment("d") + "?fieldManager=one",
                        Api.APPLY_PATCH,
                        "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'}}")
                .ok();
        assertThat(without.node("/spec/template/spec/containers").findValuesAsText("image"))
                .containsExactly("image:1", "image:2");
    }

    @Test
    void notesWhatAnUpdateSets() {
        Reply created = api.create(configMaps() + "?fieldManager=creator", newConfigMap("a"))
                .ok();
        assertThat(created.at("/metadata/managedFields/0/manager")).isEqualTo("creator");
        assertThat(created.at("/metadata/managedFields/0/operation")).isEqualTo("Update");
        assertThat(created.node("/metadata/managedFields/0/fieldsV1/f:data/f:key")
                        .isObject())
                .isTrue();
    }

    @Test
    void namesAManagerAfterItsProgram() {
        assertThat(create("a").at("/metadata/managedFields/0/manager")).isEqualTo("contract");
    }

    @Test
    void refusesAStaleVersion() {
        apply("a", "one", data("'x':'1'")).ok();
        apply(
                        "a",
                        "one",
                        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','resourceVersion':'1'},'data':{'x':'2'}}")
                .refused(409, "Conflict");
    }

    private Reply applyAs(String configuration) {
        return api.patch(configMap("a") + "?fieldManager=m", Api.APPLY_PATCH, configuration);
    }

    @Test
    void needsToKnowWhatIsApplied() {
        applyAs("{'metadata':{'name':'a'}}").refused(400, "BadRequest");
        applyAs("{'apiVersion':'v1','kind':'ConfigMap'}").refused(400, "BadRequest");
        applyAs("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'b'}}")
                .refused(400, "BadRequest");
        applyAs("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','namespace':'other'}}")
                .refused(400, "BadRequest");
    }

    @Test
    void createsNothingThatWasThere() {
        applyAs("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','uid':'x'}}")
                .refused(409, "Conflict");
    }

    @Test
    void failsAtAKeyGivenTwice() {
        ObjectNode object = newDeployment("d");
        object.withArray("/spec/template/spec/containers")
                .forEach(container -> ((ObjectNode) container).put("name", "same"));
        Reply failed = api.patch(deployment("d") + "?fieldManager=m", Api.APPLY_PATCH, object.toString());
        assertThat(failed.code()).isEqualTo(500);
        assertThat(failed.message()).contains("duplicate entries for key");
    }

    @Test
    void tellsPortsApartByTheirProtocol() {
        ObjectNode object = newDeployment("d");
        object.withArray("/spec/template/spec/containers/0/ports").add(json("{'containerPort':80}"));
        api.patch(deployment("d") + "?fieldManager=m", Api.APPLY_PATCH, object.toString())
                .ok();
        Reply both = api.patch(
                        deployment("d") + "?fieldManager=other",
                        Api.APPLY_PATCH,
                        "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'},'spec':{'template':{'spec':"
                                + "{'containers':[{'name':'main','ports':[{'containerPort':80,'protocol':'UDP'},"
                                + "{'containerPort':80,'name':'web'}]}]}}}}")
                .ok();
        assertThat(both.node("/spec/template/spec/containers/0/ports")).hasSize(2);
        Reply one = api.patch(
                        deployment("d") + "?fieldManager=other",
                        Api.APPLY_PATCH,
                        "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'d'}}")
                .ok();
        assertThat(one.node("/spec/template/spec/containers/0/ports"))
                .containsExactly(json("{'containerPort':80,'protocol':'TCP'}"));
    }

    private void cannotType(String path, String configuration, String why) {
        for (String validation : List.of("Ignore", "Strict")) {
            Reply failed =
                    api.patch(path + "?fieldManager=one&fieldValidation=" + validation, Api.APPLY_PATCH, configuration);
            assertThat(failed.code()).isEqualTo(500);
            assertThat(failed.message())
                    .startsWith("failed to create typed patch object")
                    .endsWith(why);
        }
    }

    @Test
    void failsAtAFieldThatIsNotKnown() {
        String configMap = "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'%s}%s}";
        cannotType(configMap("a"), configMap.formatted("", ",'dta':{}"), ".dta: field not declared in schema");
        cannotType(
                configMap("a"), configMap.formatted(",'lbls':{}", ""), ".metadata.lbls: field not declared in schema");
        String deployment = newDeployment("d").toString().replace("image:1", "image:1\",\"imge\":\"");
        cannotType(deployment("d"), deployment, "[name=\"main\"].imge: field not declared in schema");
    }

    @Test
    void failsAtAValueOfTheWrongType() {
        Reply failed = api.patch(
                configMap("a") + "?fieldManager=one",
                Api.APPLY_PATCH,
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'k':1}}");
        assertThat(failed.code()).isEqualTo(500);
        assertThat(failed.message()).contains(".data.k: expected string");
    }

    @Test
    void appliesANullInAMapOfTextsAsTheEmptyText() {
        Reply applied = api.patch(
                configMap("a") + "?fieldManager=one",
                Api.APPLY_PATCH,
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'k':null}}");
        assertThat(applied.code()).isEqualTo(201);
        assertThat(applied.node("/data/k").isTextual()).isTrue();
    }

    @Test
    void needsTheKeyOfAListsElement() {
        ObjectNode deployment = newDeployment("d");
        ((ObjectNode) deployment.at("/spec/template/spec/containers/0")).remove("name");
        Reply refused = api.patch(deployment("d") + "?fieldManager=one", Api.APPLY_PATCH, deployment.toString())
                .refused(422, "Invalid");
        assertThat(refused.at("/details/causes/0/field")).isEqualTo("spec.template.spec.containers[0].name");
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may do to {@code managedFields}, and how kubectl moves from the client's apply to the server's. */
class ManagedFieldsContractTest extends Contract {

    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    ManagedFieldsContractTest(TestedServer server) {
        super(server);
    }

    private static String data(String data) {
        return "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{" + data + "}}";
    }

    private static ObjectNode entry(String manager, String operation, String fields) {
        return json(
                "{'manager':'%s','operation':'%s','apiVersion':'v1','time':'2030-01-02T03:04:05Z',"
                        + "'fieldsType':'FieldsV1','fieldsV1':%s}",
                manager, operation, fields);
    }

    private Reply apply(String manager, String configuration) {
        return api.patch(configMap("a") + "?fieldManager=" + manager, Api.APPLY_PATCH, configuration);
    }

    private Reply merge(String manager, String patch) {
        return api.patch(configMap("a") + "?fieldManager=" + manager, Api.MERGE_PATCH, patch);
    }

    private Reply set(JsonNode entries) {
        return merge("setter", "{'metadata':{'managedFields':" + entries + "}}");
    }

    private static List<String> managers(Reply reply) {
        List<String> managers = new ArrayList<>();
        for (JsonNode entry : reply.node("/metadata/managedFields")) {
            managers.add(entry.path("manager").asText() + " "
                    + entry.path("operation").asText());
        }
        return managers;
    }

    @Test
    void areTheClientsToSet() {
        apply("one", data("'x':'1','y':'1'")).ok();
        ObjectNode given = entry("two", "Apply", "{'f:data':{'f:x':{}}}");
        Reply set = set(json("{'l':[]}").withArray("l").add(given)).ok();
        assertThat(set.node("/metadata/managedFields")).containsExactly(given);
        assertThat(apply("one", data("'x':'2'")).refused(409, "Conflict").message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"two\": .data.x");
        // Nobody has y any more, so that nobody can take it away by an apply.
        Reply left = apply("two", data("")).ok();
        assertThat(left.node("/data")).isEqualTo(json("{'y':'1'}"));
    }

    @Test
    void areSetByAnUpdateAndByEachKindOfPatch() {
        ArrayNode entries = json("{'l':[]}").withArray("l").add(entry("two", "Update", "{'f:data':{'f:key':{}}}"));
        ObjectNode object = (ObjectNode) create("a").body();
        ((ObjectNode) object.get("metadata")).set("managedFields", entries);
        assertThat(managers(api.put(configMap("a"), object).ok())).containsExactly("two Update");
        ((ObjectNode) entries.get(0)).put("manager", "three");
        assertThat(managers(
                        api.patch(configMap("a"), Api.STRATEGIC_PATCH, "{'metadata':{'managedFields':" + entries + "}}")
                                .ok()))
                .containsExactly("three Update");
        assertThat(managers(api.patch(
                                configMap("a"),
                                Api.JSON_PATCH,
                                "[{'op':'replace','path':'/metadata/managedFields/0/manager','value':'four'},"
                                        + "{'op':'replace','path':'/data/key','value':'new'}]")
                        .ok()))
                .containsExactly("contract Update");
    }

    @Test
    void areSetOnCreationButForWhatIsCreated() {
        ObjectNode object = newConfigMap("a");
        ((ObjectNode) object.get("metadata"))
                .putArray("managedFields")
                .add(entry("two", "Apply", "{'f:data':{'f:key':{},'f:other':{}}}"));
        Reply created =
                api.create(configMaps() + "?fieldManager=creator", object).ok();
        assertThat(managers(created)).containsExactly("two Apply", "creator Update");
        assertThat(created.node("/metadata/managedFields/0/fieldsV1")).isEqualTo(json("{'f:data':{'f:other':{}}}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[{}]"})
    void areTakenAwayAllAtOnce(String nothing) {
        apply("one", data("'x':'1'")).ok();
        Reply reset = merge("setter", "{'metadata':{'managedFields':" + nothing + "},'data':{'y':'1'}}")
                .ok();
        assertThat(reset.node("/metadata/managedFields").isMissingNode()).isTrue();
        Reply updated = merge("setter", "{'data':{'y':'2'}}").ok();
        assertThat(updated.node("/metadata/managedFields").isMissingNode()).isTrue();

        assertThat(apply("one", data("'x':'2'")).refused(409, "Conflict").message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.x");
        Reply applied = apply("one", data("'x':'1'")).ok();
        assertThat(managers(applied)).containsExactly("one Apply", "before-first-apply Update");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "[{},{}]",
                "[{'manager':'m'}]",
                "[{'manager':'m','operation':'Apply','fieldsType':'FieldsV1','fieldsV1':{'f:data':{}}}]",
                "[{'manager':'m','operation':'Apply','apiVersion':'v1','fieldsV1':{'f:data':{}}}]",
                "[{'manager':'m','operation':'Apply','apiVersion':'v1','fieldsType':'FieldsV2','fieldsV1':{}}]",
                "[{'manager':'m','operation':'Delete','apiVersion':'v1','fieldsType':'FieldsV1','fieldsV1':{}}]",
                "[{'manager':'m','operation':'Apply','apiVersion':'v1','fieldsType':'FieldsV1','fieldsV1':[]}]",
                "[{'manager':'m','operation':'Apply','apiVersion':'v1','fieldsType':'FieldsV1','fieldsV1':{'data':{}}}]"
            })
    void stayAsTheyAreWhereAClientSendsNone(String entries) {
        Reply created = apply("one", data("'x':'1'")).ok();
        Reply set = merge("setter", "{'metadata':{'managedFields':" + entries + "}}")
                .ok();
        assertThat(set.node("/metadata/managedFields")).isEqualTo(created.node("/metadata/managedFields"));
        assertThat(set.version()).isEqualTo(created.version());
    }

    @Test
    void areRefusedWhereTheyAreOfAnotherType() {
        create("a");
        merge("m", "{'metadata':{'managedFields':{}}}").refused(422, "Invalid");
        merge("m", "{'metadata':{'managedFields':[1]}}").refused(422, "Invalid");
        merge("m", "{'metadata':{'managedFields':[{'time':'noon'}]}}").refused(422, "Invalid");
    }

    @Test
    void keepTheirTimesWhenNothingElseChanges() {
        Reply created = apply("one", data("'x':'1'")).ok();
        ArrayNode entries = created.node("/metadata/managedFields").deepCopy();
        ((ObjectNode) entries.get(0)).put("time", "2030-01-02T03:04:05Z");
        assertThat(set(entries).ok().version()).isEqualTo(created.version());
    }

    @Test
    void saySinceWhenOnlyOfWhoChangedSomething() {
        apply("one", data("'x':'1'")).ok();
        Reply shared = apply("two", data("'x':'1'")).ok();
        assertThat(managers(shared)).containsExactly("two Apply", "one Apply");
        assertThat(shared.node("/metadata/managedFields/0").has("time")).isFalse();
        assertThat(shared.node("/metadata/managedFields/1").has("time")).isTrue();
    }

    @Test
    void areSorted() {
        create("a");
        merge("zoe", "{'data':{'z':'1'}}").ok();
        merge("amy", "{'data':{'a':'1'}}").ok();
        Reply sorted = apply("one", data("'x':'1'")).ok();
        ArrayNode entries = sorted.node("/metadata/managedFields").deepCopy();
        entries.forEach(entry -> ((ObjectNode) entry).put("time", "2030-01-02T03:04:05Z"));
        merge("bob", "{'metadata':{'managedFields':" + entries + "},'data':{'b':'1'}}")
                .ok();
        assertThat(managers(api.get(configMap("a"))))
                .containsExactly("one Apply", "bob Update", "amy Update", "contract Update", "zoe Update");
    }

    @Test
    void ofAStatusAreNotTheClients() {
        Reply created = api.create(deployments() + "?fieldManager=creator", newDeployment("d"))
                .ok();
        Reply updated = api.patch(
                        deployment("d") + "/status?fieldManager=m",
                        Api.MERGE_PATCH,
                        "{'metadata':{'managedFields':[{}]},'status':{'replicas':1}}")
                .ok();
        assertThat(managers(updated)).containsExactly("creator Update", "m Update");
        assertThat(updated.at("/metadata/managedFields/1/subresource")).isEqualTo("status");
        assertThat(updated.node("/metadata/managedFields/0")).isEqualTo(created.node("/metadata/managedFields/0"));
    }

    @Test
    void areNothingToApply() {
        apply("m", data("").replace("'name':'a'", "'name':'a','managedFields':[{}]"))
                .refused(400, "BadRequest");
        apply("m", data("").replace("'name':'a'", "'name':'a','managedFields':[]"))
                .refused(400, "BadRequest");
    }

    @Test
    void nameAManagerOfLimitedLength() {
        create("a");
        assertThat(managers(merge("m".repeat(128), "{'data':{'x':'1'}}").ok())).hasSize(2);
        assertThat(merge("m".repeat(129), "{'data':{'x':'2'}}")
                        .refused(422, "Invalid")
                        .at("/details/causes/0/reason"))
                .isEqualTo("FieldValueTooLong");
    }

    private void applyFromTheClient(String value) {
        ObjectNode object = json(data("'x':'" + value + "'"));
        String applied = object.toString();
        ((ObjectNode) object.get("metadata")).putObject("annotations").put(LAST_APPLIED, applied + "\n");
        api.create(configMaps() + "?fieldManager=kubectl-client-side-apply", object)
                .ok();
    }

    private static String lastApplied(Reply reply) {
        return reply.node("/metadata/annotations").path(LAST_APPLIED).asText();
    }

    @Test
    void letKubectlTakeOverWhatItAppliedFromTheClient() {
        applyFromTheClient("1");
        apply("other", data("'x':'2'")).refused(409, "Conflict");
        Reply applied = apply("kubectl", data("'x':'2'")).ok();
        assertThat(applied.at("/data/x")).isEqualTo("2");
        assertThat(json(lastApplied(applied))).isEqualTo(json(data("'x':'2'")));
        assertThat(managers(applied)).containsExactly("kubectl Apply", "kubectl-client-side-apply Update");

        // What kubectl does then (client-go, util/csaupgrade).
        ObjectNode mine = applied.node("/metadata/managedFields/0").deepCopy();
        mine.set("fieldsV1", json("{'f:data':{'f:x':{}},'f:metadata':{'f:annotations':{'f:%s':{}}}}", LAST_APPLIED));
        Reply moved = api.patch(
                        configMap("a") + "?fieldManager=kubectl",
                        Api.JSON_PATCH,
                        "[{'op':'replace','path':'/metadata/managedFields','value':[" + mine + "]},"
                                + "{'op':'replace','path':'/metadata/resourceVersion','value':'" + applied.version()
                                + "'}]")
                .ok();
        assertThat(managers(moved)).containsExactly("kubectl Apply");
        Reply again = apply("kubectl", data("'x':'2'")).ok();
        assertThat(again.node("/metadata/annotations").has(LAST_APPLIED)).isFalse();
        assertThat(again.at("/data/x")).isEqualTo("2");
    }

    @Test
    void letKubectlNotTakeOverWhatOthersChangedSince() {
        applyFromTheClient("1");
        merge("other", "{'data':{'x':'3'}}").ok();
        assertThat(apply("kubectl", data("'x':'2'")).refused(409, "Conflict").message())
                .isEqualTo("Apply failed with 1 conflict: conflict with \"other\" using v1: .data.x");
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a Pod's subresources do, on a cluster without kubelets. */
class PodSubresourceContractTest extends Contract {

    private static final String POD = "{'metadata':{'name':'p','labels':{'app':'a'}},'spec':{'containers':[%s]}}";
    private static final String MAIN = "{'name':'main','image':'i:1'}";

    private final String pods = of("v1", "pods");
    private final String pod = pods + "/p";

    PodSubresourceContractTest(TestedServer server) {
        super(server);
    }

    @BeforeEach
    void haveAnAccount() {
        // It is there sooner or later where controllers make it, and without it the real server takes no Pod.
        api.create(of("v1", "serviceaccounts"), json("{'metadata':{'name':'default'}}"));
    }

    private Reply create(String containers, String more) {
        ObjectNode object = json(POD, containers);
        ((ObjectNode) object.path("spec")).setAll(json(more));
        return api.create(pods, object).ok();
    }

    private Reply bind(String path, String binding) {
        return api.create(path, json("{'apiVersion':'v1','kind':'Binding'," + binding + "}"));
    }

    private Reply evict(String options) {
        return api.create(pod + "/eviction", json("""
                {'apiVersion':'policy/v1','kind':'Eviction','metadata':{'name':'p'}%s}""", options));
    }

    @Test
    void isBoundToANodeOnce() {
        create(MAIN, "{}");
        String binding = "'metadata':{'name':'p','annotations':{'a':'b'}},'target':{'kind':'Node','name':'n'}";
        bind(pod + "/binding?dryRun=All", binding).ok();
        Reply bound = bind(pod + "/binding", binding).ok();
        assertThat(bound.body())
                .isEqualTo(json("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Success','code':201}"));
        Reply after = api.get(pod).ok();
        assertThat(after.at("/spec/nodeName")).isEqualTo("n");
        assertThat(after.at("/metadata/annotations/a")).isEqualTo("b");
        assertThat(after.at("/status/conditions/0/type")).isEqualTo("PodScheduled");
        assertThat(after.at("/status/conditions/0/status")).isEqualTo("True");
        assertThat(bind(pod + "/binding", binding).refused(409, "Conflict").message())
                .isEqualTo("Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node"
                        + " \"n\"");
    }

    @Test
    void isBoundInTheOldWayToo() {
        create(MAIN, "{}");
        bind(of("v1", "bindings"), "'metadata':{'name':'p'},'target':{'kind':'Node','name':'n'}")
                .ok();
        assertThat(api.get(pod).at("/spec/nodeName")).isEqualTo("n");
    }

    @Test
    void isNotBoundBy() {
        create(MAIN, "{'schedulingGates':[{'name':'a.b/c'}]}");
        String target = "'target':{'kind':'Node','name':'n'}";
        assertThat(bind(pod + "/binding", "'metadata':{'name':'p'}," + target)
                        .refused(409, "Conflict")
                        .message())
                .endsWith("pod p has non-empty .spec.schedulingGates");
        assertThat(bind(pod + "/binding", "'metadata':{'name':'q'}," + target)
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo("name in URL does not match name in Binding object");
        bind(pods + "/q/binding", "'metadata':{'name':'q'}," + target).refused(404, "NotFound");
        assertThat(bind(pod + "/binding", "'metadata':{'name':'p'},'target':{'kind':'Node'}")
                        .message())
                .isEqualTo("target.name: Required value");
    }

    @Test
    void isEvictedAtOnceWhileItDoesNotRun() {
        create(MAIN, "{}");
        evict(",'deleteOptions':{'dryRun':['All']}").ok();
        api.get(pod).ok();
        Reply wrong = evict(",'deleteOptions':{'preconditions':{'uid':'x'}}").refused(409, "Conflict");
        assertThat(wrong.message()).contains("the UID in the precondition (x) does not match the UID in record");
        assertThat(evict("").ok().body())
                .isEqualTo(json("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Success','code':201}"));
        api.get(pod).refused(404, "NotFound");
        evict("").refused(404, "NotFound");
    }

    private void run(String ready) {
        create(MAIN, "{'nodeName':'n'}");
        api.patch(
                        pod + "/status",
                        Api.MERGE_PATCH,
                        "{'status':{'phase':'Running','conditions':[{'type':'Ready','status':'" + ready + "'}]}}")
                .ok();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 1 | 2 | 0 | True | The disruption budget b needs 2 healthy pods and has 1 currently",
                "0 | 1 | 2 | 0 | True | The disruption budget b is still being processed by the server.",
                "1 | 3 | 2 | 0 | True | The disruption budget b does not allow evicting pods currently",
                "1 | 3 | 2 | 0 | False |",
                "1 | 3 | 2 | 1 | True |",
            })
    void isEvictedIfItsBudgetAllowsThat(
            int observed, int healthy, int desired, int allowed, String ready, String refusal) {
        String budgets = of("policy/v1", "poddisruptionbudgets");
        api.create(budgets, json("""
                        {'metadata':{'name':'b'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':'a'}}}}""")).ok();
        String status = """
                {'status':{'observedGeneration':%d,'currentHealthy':%d,'desiredHealthy':%d,'disruptionsAllowed':%d,
                 'expectedPods':2}}""".formatted(observed, healthy, desired, allowed);
        api.patch(budgets + "/b/status", Api.MERGE_PATCH, status).ok();
        run(ready);
        Reply evicted = evict("");
        if (refusal != null) {
            evicted.refused(429, "TooManyRequests");
            assertThat(evicted.message())
                    .isEqualTo("Cannot evict pod as it would violate the pod's disruption budget.");
            assertThat(evicted.at("/details/causes/0/reason")).isEqualTo("DisruptionBudget");
            assertThat(evicted.at("/details/causes/0/message")).isEqualTo(refusal);
            assertThat(evicted.headers().get("Retry-After")).isEqualTo(observed == 0 ? "10" : null);
            return;
        }
        evicted.ok();
        Reply going = api.get(pod).ok();
        assertThat(going.at("/metadata/deletionTimestamp")).isNotEmpty();
        JsonNode condition = going.node("/status/conditions/1");
        assertThat(condition.path("type").asText()).isEqualTo("DisruptionTarget");
        assertThat(condition.path("reason").asText()).isEqualTo("EvictionByEvictionAPI");
        Reply budget = api.get(budgets + "/b").ok();
        assertThat(budget.node("/status/disruptionsAllowed").asInt()).isZero();
        assertThat(budget.node("/status/disruptedPods").has("p")).isEqualTo(allowed > 0);
    }

    @Test
    void hasSaidNothing() {
        create(MAIN + ",{'name':'side','image':'i:1'}", "{}");
        assertThat(api.get(pod + "/log?container=main").code()).isEqualTo(204);
        assertThat(api.get(pod + "/log").refused(400, "BadRequest").message())
                .isEqualTo("a container name must be specified for pod p, choose one of: [main side]");
        assertThat(api.get(pod + "/log?container=other")
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo("container other is not valid for pod p");
        api.get(pods + "/q/log").refused(404, "NotFound");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exec?command=ls", "attach?stdout=true", "portforward?ports=80"})
    void cannotBeReachedWithoutANode(String stream) {
        create(MAIN, "{}");
        Reply refused = api.create(pod + "/" + stream, json("{}").path("none")).refused(400, "BadRequest");
        assertThat(refused.message()).isEqualTo("pod p does not have a host assigned");
    }

    @Test
    void takesContainersForDebugging() {
        create(MAIN, "{}");
        String path = pod + "/ephemeralcontainers";
        Reply added = api.patch(
                        path + "?fieldManager=m",
                        Api.STRATEGIC_PATCH,
                        "{'metadata':{'labels':{'app':'b'}},'spec':{'ephemeralContainers':[{'name':'d','image':'d'}],"
                                + "'containers':[{'name':'main','image':'i:2'}]}}")
                .ok();
        assertThat(added.node("/spec/ephemeralContainers/0")).isEqualTo(json("""
                {'name':'d','image':'d','imagePullPolicy':'Always','resources':{},'terminationMessagePolicy':'File',
                 'terminationMessagePath':'/dev/termination-log'}"""));
        assertThat(added.at("/spec/containers/0/image")).isEqualTo("i:1");
        assertThat(added.at("/metadata/labels/app")).isEqualTo("a");
        assertThat(added.at("/metadata/generation")).isEqualTo("2");
        assertThat(added.at("/metadata/managedFields/1/subresource")).isEqualTo("ephemeralcontainers");
        assertThat(api.get(path).ok().body()).isEqualTo(added.body());
        Reply changed = api.patch(
                        path, Api.STRATEGIC_PATCH, "{'spec':{'ephemeralContainers':[{'name':'d','image':'e'}]}}")
                .refused(422, "Invalid");
        assertThat(changed.message())
                .startsWith("Pod \"p\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers"
                        + " \"d\" may not be changed\n");
        api.patch(path, Api.MERGE_PATCH, "{'spec':{'ephemeralContainers':null}}")
                .refused(422, "Invalid");
        api.patch(pod, Api.MERGE_PATCH, "{'spec':{'ephemeralContainers':null}}").refused(422, "Invalid");
        api.patch(pod, Api.MERGE_PATCH, "{'metadata':{'labels':{'app':'c'}}}").ok();
    }

    @Test
    void isDescribedByDiscovery() {
        JsonNode resources = api.get("/api/v1").ok().node("/resources");
        for (String expected : new String[] {
            "{'name':'bindings','singularName':'binding','namespaced':true,'kind':'Binding','verbs':['create']}",
            "{'name':'pods/binding','singularName':'','namespaced':true,'kind':'Binding','verbs':['create']}",
            "{'name':'pods/eviction','singularName':'','namespaced':true,'group':'policy','version':'v1','kind':'Eviction',"
                    + "'verbs':['create']}",
            "{'name':'pods/log','singularName':'','namespaced':true,'kind':'Pod','verbs':['get']}"
        }) {
            assertThat(resources).contains(json(expected));
        }
    }
}

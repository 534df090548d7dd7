package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Beside each other, and beside other classes: most cases wait for controllers, and none leaves its namespace. */
@Execution(ExecutionMode.CONCURRENT)
class DeleteContractTest extends Contract {

    DeleteContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void deletes() {
        String uid = create("a").uid();
        Reply deleted = api.delete(configMap("a")).ok();
        assertThat(deleted.at("/kind")).isEqualTo("Status");
        assertThat(deleted.at("/status")).isEqualTo("Success");
        assertThat(deleted.at("/details/uid")).isEqualTo(uid);
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void refusesWhatIsNotThere() {
        api.delete(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void refusesAnotherUid() {
        create("a");
        Reply reply =
                api.delete(configMap("a"), "{'preconditions':{'uid':'other'}}").refused(409, "Conflict");
        assertThat(reply.message()).contains("the UID in the precondition (other) does not match the UID in record");
    }

    @Test
    void refusesAnotherVersion() {
        Reply created = create("a");
        api.delete(configMap("a"), "{'preconditions':{'resourceVersion':'1'}}").refused(409, "Conflict");
        api.delete(
                        configMap("a"),
                        "{'preconditions':{'uid':'" + created.uid() + "','resourceVersion':'" + created.version()
                                + "'}}")
                .ok();
    }

    @Test
    void dryRunDeletesNothing() {
        create("a");
        api.delete(configMap("a") + "?dryRun=All").ok();
        api.get(configMap("a")).ok();
    }

    @Test
    void waitsForFinalizers() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/f']}}"))
                .ok();
        Reply deleted = api.delete(configMap("a")).ok();
        assertThat(deleted.at("/kind")).isEqualTo("ConfigMap");
        assertThat(deleted.at("/metadata/deletionTimestamp")).isNotEmpty();
        assertThat(deleted.node("/metadata/deletionGracePeriodSeconds").asInt(-1))
                .isZero();
        api.get(configMap("a")).ok();
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void keepsTheTimeOfTheFirstDeletion() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/f']}}"))
                .ok();
        Reply first = api.delete(configMap("a")).ok();
        Reply second = api.delete(configMap("a")).ok();
        assertThat(second.version()).isEqualTo(first.version());
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void refusesANewFinalizerWhileDeleting() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/f']}}"))
                .ok();
        api.delete(configMap("a")).ok();
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':['example.com/f','example.com/g']}}")
                .refused(422, "Invalid");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void bumpsTheGenerationOfWhatWaits() {
        ObjectNode object = newDeployment("d");
        ((ObjectNode) object.get("metadata")).putArray("finalizers").add("example.com/f");
        api.create(deployments(), object).ok();
        assertThat(api.delete(deployment("d")).ok().node("/metadata/generation").asInt())
                .isEqualTo(2);
        api.patch(deployment("d"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void deletesACollectionBySelector() {
        api.create(configMaps(), newConfigMap("a", "x")).ok();
        api.create(configMaps(), newConfigMap("b", "y")).ok();
        Reply deleted = api.delete(configMaps() + "?labelSelector=app=x").ok();
        assertThat(deleted.at("/kind")).isEqualTo("ConfigMapList");
        assertThat(api.get(configMaps()).names()).containsExactly("b");
    }

    @Test
    void refusesAnUnknownPropagation() {
        create("a");
        assertThat(api.delete(configMap("a") + "?propagationPolicy=Sideways").code())
                .isEqualTo(422);
    }

    private ObjectNode owned(String name, Reply owner, boolean block) {
        ObjectNode object = newConfigMap(name);
        ((ObjectNode) object.get("metadata"))
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "ConfigMap")
                .put("name", owner.at("/metadata/name"))
                .put("uid", owner.uid())
                .put("controller", true)
                .put("blockOwnerDeletion", block);
        return object;
    }

    @Test
    void collectsDependentsInTheBackground() {
        Reply owner = create("owner");
        api.create(configMaps(), owned("dependent", owner, false)).ok();
        api.delete(configMap("owner") + "?propagationPolicy=Background").ok();
        eventually(() -> api.get(configMap("dependent")).refused(404, "NotFound"));
    }

    @Test
    void collectsGrandchildren() {
        Reply owner = create("owner");
        Reply child = api.create(configMaps(), owned("child", owner, false)).ok();
        api.create(configMaps(), owned("grandchild", child, false)).ok();
        api.delete(configMap("owner")).ok();
        eventually(() -> api.get(configMap("grandchild")).refused(404, "NotFound"));
    }

    /** A grandchild that a finalizer holds, whose deletion its parent waits for if that is deleted in the foreground. */
    private void createFamily() {
        Reply owner = create("owner");
        Reply child = api.create(configMaps(), owned("child", owner, true)).ok();
        ObjectNode grandchild = owned("grandchild", child, true);
        ((ObjectNode) grandchild.get("metadata")).putArray("finalizers").add("example.com/f");
        api.create(configMaps(), grandchild).ok();
    }

    @Test
    void waitsForNoGrandchildrenInTheBackground() {
        createFamily();
        api.delete(configMap("owner") + "?propagationPolicy=Background").ok();
        eventually(() -> api.get(configMap("child")).refused(404, "NotFound"));
        eventually(() -> assertThat(api.get(configMap("grandchild")).ok().at("/metadata/deletionTimestamp"))
                .isNotEmpty());
    }

    @Test
    void waitsForGrandchildrenInTheForeground() {
        createFamily();
        api.delete(configMap("owner") + "?propagationPolicy=Foreground").ok();
        eventually(() -> assertThat(api.get(configMap("grandchild")).ok().at("/metadata/deletionTimestamp"))
                .isNotEmpty());
        assertThat(api.get(configMap("child")).ok().at("/metadata/finalizers/0"))
                .isEqualTo("foregroundDeletion");
        api.patch(configMap("grandchild"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
        eventually(() -> api.get(configMap("owner")).refused(404, "NotFound"));
    }

    @Test
    void deletesDependentsFirstInTheForeground() {
        Reply owner = create("owner");
        ObjectNode dependent = owned("dependent", owner, true);
        ((ObjectNode) dependent.get("metadata")).putArray("finalizers").add("example.com/f");
        api.create(configMaps(), dependent).ok();
        Reply deleted =
                api.delete(configMap("owner") + "?propagationPolicy=Foreground").ok();
        assertThat(deleted.node("/metadata/finalizers"))
                .extracting(JsonNode::asText)
                .containsExactly("foregroundDeletion");
        eventually(() -> assertThat(api.get(configMap("dependent")).ok().at("/metadata/deletionTimestamp"))
                .isNotEmpty());
        api.get(configMap("owner")).ok();
        api.patch(configMap("dependent"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
        eventually(() -> api.get(configMap("owner")).refused(404, "NotFound"));
    }

    @Test
    void leavesOrphansAlone() {
        Reply owner = create("owner");
        api.create(configMaps(), owned("dependent", owner, false)).ok();
        api.delete(configMap("owner") + "?propagationPolicy=Orphan").ok();
        eventually(() -> api.get(configMap("owner")).refused(404, "NotFound"));
        assertThat(api.get(configMap("dependent"))
                        .ok()
                        .node("/metadata/ownerReferences")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void keepsWhatHasAnotherOwner() {
        Reply first = create("first");
        Reply second = create("second");
        ObjectNode object = owned("dependent", first, false);
        ObjectNode other = (ObjectNode) owned("dependent", second, false).at("/metadata/ownerReferences/0");
        object.withArray("/metadata/ownerReferences").add(other.put("controller", false));
        api.create(configMaps(), object).ok();
        api.delete(configMap("first")).ok();
        eventually(() -> assertThat(api.get(configMap("dependent"))
                        .ok()
                        .node("/metadata/ownerReferences")
                        .findValuesAsText("name"))
                .containsExactly("second"));
    }

    @Test
    void collectsWhatNamesAnOwnerThatNeverWas() {
        Reply owner = create("owner");
        ObjectNode object = owned("dependent", owner, false);
        ((ObjectNode) object.at("/metadata/ownerReferences/0")).put("uid", "00000000-0000-4000-8000-000000000000");
        api.create(configMaps(), object).ok();
        eventually(() -> api.get(configMap("dependent")).refused(404, "NotFound"));
    }

    @Test
    void refusesTwoControllers() {
        Reply owner = create("owner");
        ObjectNode object = owned("dependent", owner, false);
        object.withArray("/metadata/ownerReferences")
                .add(((ObjectNode) owned("x", owner, false).at("/metadata/ownerReferences/0")).put("uid", "other"));
        api.create(configMaps(), object).refused(422, "Invalid");
    }

    @Test
    void emptiesANamespace() {
        create("a");
        api.create(configMaps(), json("{'metadata':{'name':'b','finalizers':['example.com/f']}}"))
                .ok();
        Reply deleted = api.delete("/api/v1/namespaces/" + namespace).ok();
        assertThat(deleted.at("/metadata/deletionTimestamp")).isNotEmpty();
        assertThat(deleted.at("/status/phase")).isEqualTo("Terminating");
        eventually(() -> api.get(configMap("a")).refused(404, "NotFound"));
        Reply refused = api.create(configMaps(), newConfigMap("c")).refused(403, "Forbidden");
        assertThat(refused.message()).contains("because it is being terminated");
        assertThat(refused.at("/details/causes/0/reason")).isEqualTo("NamespaceTerminating");
        eventually(() -> assertThat(api.get(configMap("b")).ok().at("/metadata/deletionTimestamp"))
                .isNotEmpty());
        api.patch(configMap("b"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
        eventually(() -> api.get("/api/v1/namespaces/" + namespace).refused(404, "NotFound"));
    }

    @Test
    void labelsANamespaceWithItsName() {
        Reply read = api.get("/api/v1/namespaces/" + namespace).ok();
        assertThat(read.node("/metadata/labels")
                        .path("kubernetes.io/metadata.name")
                        .asText())
                .isEqualTo(namespace);
        assertThat(read.at("/status/phase")).isEqualTo("Active");
    }

    @Test
    void takesOneOfTheTwoWaysToSayOrphan() {
        create("a");
        api.delete(configMap("a"), "{'propagationPolicy':'Foreground','orphanDependents':true}")
                .refused(422, "Invalid");
    }

    @Test
    void takesTheBodyForThePolicyAndNotTheParameters() {
        create("a");
        api.delete(configMap("a") + "?dryRun=All", "{'kind':'DeleteOptions','apiVersion':'v1'}")
                .ok();
        api.get(configMap("a")).refused(404, "NotFound");
    }

    @Test
    void waitsForNoDependentThatDoesNotBlock() {
        String owner = create("owner").uid();
        api.create(
                        configMaps(),
                        json(
                                "{'metadata':{'name':'dependent','finalizers':['example.com/f'],'ownerReferences':[{'apiVersion':"
                                        + "'v1','kind':'ConfigMap','name':'owner','uid':'%s','blockOwnerDeletion':false}]}}",
                                owner))
                .ok();
        // The real collector knows the dependent once it deletes it.
        api.delete(configMap("owner"), "{'propagationPolicy':'Foreground'}").ok();
        eventually(() -> api.get(configMap("owner")).refused(404, "NotFound"));
        eventually(() -> assertThat(api.get(configMap("dependent")).at("/metadata/deletionTimestamp"))
                .isNotEmpty());
    }

    /** Of these types the answer is the object that is gone, of others a Status; clients read no other. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            /api/v1/*/pods;                     {'spec':{'containers':[{'name':'c','image':'i'}]}}; Pod
            /api/v1/*/services;                 {'spec':{'ports':[{'port':80}]}}; Service
            /api/v1/*/serviceaccounts;          {}; ServiceAccount
            /api/v1/*/persistentvolumeclaims;   {'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}; PersistentVolumeClaim
            /api/v1/persistentvolumes;          {'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}}}; PersistentVolume
            /api/v1/*/configmaps;               {}; Status
            /api/v1/*/secrets;                  {}; Status
            /api/v1/*/endpoints;                {}; Status
            /api/v1/nodes;                      {}; Status
            /apis/coordination.k8s.io/v1/*/leases; {}; Status
            /apis/rbac.authorization.k8s.io/v1/*/roles; {}; Status
            """)
    void answersWithTheObjectOrAStatus(String path, String object, String kind) {
        String all = path.replace("*", "namespaces/" + namespace);
        String name = "x-" + namespace;
        ObjectNode created = json(object);
        created.withObject("/metadata").put("name", name);
        api.create(all, created).ok();
        // The real server protects volumes and claims by finalizers of its own.
        api.patch(all + "/" + name, Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
        for (String dryRun : new String[] {"?dryRun=All", ""}) {
            Reply deleted = api.delete(all + "/" + name + dryRun).ok();
            assertThat(deleted.at("/kind")).isEqualTo(kind);
            assertThat(deleted.at(kind.equals("Status") ? "/details/name" : "/metadata/name"))
                    .isEqualTo(name);
        }
        api.get(all + "/" + name).refused(404, "NotFound");
    }

    @Test
    void answersInAFormThatTypedClientsRead() throws ApiException {
        api.create(
                        "/api/v1/namespaces/" + namespace + "/pods",
                        json("{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}"))
                .ok();
        CoreV1Api core = new CoreV1Api(server.client());
        assertThat(core.deleteNamespacedPod("p", namespace)
                        .execute()
                        .getMetadata()
                        .getName())
                .isEqualTo("p");
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "kube-public", "kube-system"})
    void neverDeletesTheNamespacesOfTheSystem(String name) {
        for (String options : new String[] {"", "?dryRun=All"}) {
            Reply refused = api.delete("/api/v1/namespaces/" + name + options).refused(403, "Forbidden");
            assertThat(refused.message())
                    .isEqualTo("namespaces \"" + name + "\" is forbidden: this namespace may not be deleted");
        }
    }

    @Test
    void deletesOneNamespaceAtATime() {
        api.delete("/api/v1/namespaces").refused(405, "MethodNotAllowed");
        api.delete("/api/v1/namespaces?labelSelector=a=b").refused(405, "MethodNotAllowed");
        assertThat(api.delete("/api/v1/namespaces/kube-node-lease?dryRun=All")
                        .ok()
                        .at("/status/phase"))
                .isEqualTo("Terminating");
    }

    @Test
    void marksANamespaceWithoutAGrace() {
        create("a");
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':['example.com/f']}}")
                .ok();
        assertThat(api.delete("/api/v1/namespaces/" + namespace)
                        .ok()
                        .node("/metadata/deletionGracePeriodSeconds")
                        .isMissingNode())
                .isTrue();
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void takesAnotherPolicyFromALaterDeletion() {
        Reply owner = create("owner");
        ObjectNode dependent = owned("dependent", owner, true);
        ((ObjectNode) dependent.get("metadata")).putArray("finalizers").add("example.com/f");
        api.create(configMaps(), dependent).ok();
        api.delete(configMap("owner") + "?propagationPolicy=Foreground").ok();
        api.get(configMap("owner")).ok();
        api.delete(configMap("owner")).ok();
        api.get(configMap("owner")).ok();
        api.delete(configMap("owner") + "?propagationPolicy=Background").ok();
        api.get(configMap("owner")).refused(404, "NotFound");
        eventually(() -> assertThat(api.get(configMap("dependent")).ok().at("/metadata/deletionTimestamp"))
                .isNotEmpty());
        api.patch(configMap("dependent"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void goesByTheFinalizerWhereNoPolicyIsAskedFor() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['foregroundDeletion','example.com/f']}}"))
                .ok();
        assertThat(api.delete(configMap("a") + "?dryRun=All").ok().node("/metadata/finalizers"))
                .hasSize(2);
        assertThat(api.delete(configMap("a") + "?dryRun=All&propagationPolicy=Background")
                        .ok()
                        .node("/metadata/finalizers"))
                .hasSize(1);
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void acceptsWhatWaitsWhereDependentsAreNotToBeOrphaned() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/f']}}"))
                .ok();
        assertThat(api.delete(configMap("a"), "{'orphanDependents':false}").code())
                .isEqualTo(202);
        assertThat(api.delete(configMap("a")).code()).isEqualTo(200);
        api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void refusesOptionsBeforeItLooksForTheObject() {
        assertThat(api.delete(configMap("nothing") + "?propagationPolicy=Sideways")
                        .refused(422, "Invalid")
                        .at("/details/causes/0/message"))
                .isEqualTo("Unsupported value: \"Sideways\": supported values: \"Foreground\", \"Background\","
                        + " \"Orphan\", \"nil\"");
        api.delete(configMap("nothing"), "{'propagationPolicy':'Foreground','orphanDependents':false}")
                .refused(422, "Invalid");
    }
}

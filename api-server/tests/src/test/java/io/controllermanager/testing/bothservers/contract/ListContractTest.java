package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListContractTest extends Contract {

    ListContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void getsWhatWasCreated() {
        Reply created = create("a");
        assertThat(api.get(configMap("a")).ok().body()).isEqualTo(created.body());
    }

    @Test
    void refusesWhatIsNotThere() {
        Reply reply = api.get(configMap("a")).refused(404, "NotFound");
        assertThat(reply.message()).isEqualTo("configmaps \"a\" not found");
        assertThat(reply.at("/details/kind")).isEqualTo("configmaps");
    }

    @Test
    void namesTheGroupOfWhatIsNotThere() {
        Reply reply = api.get(deployment("d")).refused(404, "NotFound");
        assertThat(reply.message()).isEqualTo("deployments.apps \"d\" not found");
        assertThat(reply.at("/details/group")).isEqualTo("apps");
    }

    @Test
    void listsInTheOrderOfNames() {
        List.of("c", "a", "b").forEach(this::create);
        Reply list = api.get(configMaps()).ok();
        assertThat(list.at("/kind")).isEqualTo("ConfigMapList");
        assertThat(list.names()).containsExactly("a", "b", "c");
    }

    /** Go's codec leaves it out of what is in a typed list; an unstructured one has it. */
    @Test
    void saysOfCustomResourcesAloneWhatEachItemIs() {
        create("a");
        Reply list = api.get(configMaps()).ok();
        assertThat(list.node("/items/0").has("kind")).isFalse();
        assertThat(list.node("/items/0").has("apiVersion")).isFalse();
        Reply metadata = api.get(configMaps(), "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
        assertThat(metadata.at("/items/0/kind")).isEqualTo("PartialObjectMetadata");
    }

    @Test
    void listsAllNamespaces() {
        create("a");
        assertThat(api.get("/api/v1/configmaps?fieldSelector=metadata.namespace=" + namespace)
                        .ok()
                        .names())
                .containsExactly("a");
    }

    @Test
    void givesAListAVersionNotBeforeItsItems() {
        long version = Long.parseLong(create("a").version());
        assertThat(Long.parseLong(api.get(configMaps()).version())).isGreaterThanOrEqualTo(version);
    }

    @Test
    void selectsByLabels() {
        api.create(configMaps(), newConfigMap("a", "x")).ok();
        api.create(configMaps(), newConfigMap("b", "y")).ok();
        create("c");
        assertThat(select("app=x")).containsExactly("a");
        assertThat(select("app==y")).containsExactly("b");
        assertThat(select("app!=x")).containsExactly("b", "c");
        assertThat(select("app")).containsExactly("a", "b");
        assertThat(select("!app")).containsExactly("c");
        assertThat(select("app in (x,y),app!=y")).containsExactly("a");
        assertThat(select("app notin (x)")).containsExactly("b", "c");
    }

    private List<String> select(String labels) {
        return api.get(configMaps() + "?labelSelector=" + java.net.URLEncoder.encode(labels, StandardCharsets.UTF_8))
                .ok()
                .names();
    }

    @Test
    void refusesWhatIsNoSelector() {
        api.get(configMaps() + "?labelSelector=a=b=c").refused(400, "BadRequest");
    }

    @Test
    void selectsByName() {
        List.of("a", "b").forEach(this::create);
        assertThat(api.get(configMaps() + "?fieldSelector=metadata.name=b").ok().names())
                .containsExactly("b");
        assertThat(api.get(configMaps() + "?fieldSelector=metadata.name!=b")
                        .ok()
                        .names())
                .containsExactly("a");
    }

    @Test
    void selectsByAFieldOfTheType() {
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        api.create(secrets, json("{'metadata':{'name':'a'},'type':'example.com/a'}"))
                .ok();
        api.create(secrets, json("{'metadata':{'name':'b'}}")).ok();
        assertThat(api.get(secrets + "?fieldSelector=type=example.com/a").ok().names())
                .containsExactly("a");
    }

    @Test
    void refusesAFieldThatIsNotOffered() {
        assertThat(api.get(configMaps() + "?fieldSelector=data.key=value")
                        .refused(400, "BadRequest")
                        .message())
                .isEqualTo(
                        "\"data.key\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
        for (String selection : List.of("nodes?fieldSelector=metadata.namespace=a", "pods?fieldSelector=spec.none=a")) {
            String field = selection.substring(selection.indexOf('=') + 1, selection.lastIndexOf('='));
            assertThat(api.get("/api/v1/" + selection)
                            .refused(400, "BadRequest")
                            .message())
                    .isEqualTo("field label not supported: " + field);
        }
    }

    private void selected(String collection, String selectors, String... names) {
        for (String selector : selectors.split(" ", -1)) {
            assertThat(api.get(collection + "?fieldSelector=" + selector).ok().names())
                    .as(selector)
                    .containsExactly(names);
        }
    }

    @Test
    void selectsPodsByWhatTheyHaveOrWouldHave() {
        String pods = "/api/v1/namespaces/" + namespace + "/pods";
        api.create("/api/v1/namespaces/" + namespace + "/serviceaccounts", json("{'metadata':{'name':'robot'}}"))
                .ok();
        String pod =
                "{'metadata':{'name':'%s'},'spec':{%s'schedulerName':'none','containers':[{'name':'c','image':'i'}]}}";
        api.create(pods, json(pod, "plain", "")).ok();
        api.create(
                        pods,
                        json(
                                pod,
                                "special",
                                "'hostNetwork':true,'restartPolicy':'Never','serviceAccountName':'robot',"))
                .ok();
        api.patch(
                        pods + "/special/status",
                        Api.MERGE_PATCH,
                        "{'status':{'phase':'Running','podIP':'10.0.0.1','podIPs':[{'ip':'10.0.0.1'}],"
                                + "'nominatedNodeName':'there'}}")
                .ok();
        selected(
                pods,
                "spec.hostNetwork=true spec.restartPolicy=Never spec.serviceAccountName=robot status.phase=Running"
                        + " status.podIP=10.0.0.1 status.nominatedNodeName=there status.phase!=Pending",
                "special");
        selected(pods, "spec.hostNetwork=false spec.restartPolicy=Always status.phase=Pending status.podIP=", "plain");
        selected(
                pods,
                "spec.schedulerName=none spec.nodeName= spec.host= status.podIPs= status.podIP!=10.0.0.2",
                "plain",
                "special");
    }

    @Test
    void selectsEventsInBothGroups() {
        String core = "/api/v1/namespaces/" + namespace + "/events";
        String other = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events";
        api.create(core, json("""
                {'metadata':{'name':'old'},'involvedObject':{'kind':'ConfigMap','namespace':'%s','name':'a','uid':'u',
                 'apiVersion':'v1','resourceVersion':'7','fieldPath':'data'},'reason':'Test','type':'Warning',
                 'source':{'component':'me'}}""", namespace)).ok();
        api.create(other, json("""
                {'metadata':{'name':'new'},'regarding':{'kind':'Secret','namespace':'%s','name':'b'},'reason':'Trial',
                 'type':'Normal','action':'Do','reportingController':'test.io/c','reportingInstance':'i',
                 'eventTime':'2030-01-02T03:04:05.678901Z'}""", namespace)).ok();
        selected(
                core,
                "involvedObject.kind=ConfigMap involvedObject.name=a involvedObject.uid=u involvedObject.apiVersion=v1"
                        + " involvedObject.resourceVersion=7 involvedObject.fieldPath=data reason=Test type=Warning"
                        + " source=me reportingComponent=",
                "old");
        selected(
                core,
                "involvedObject.kind=Secret source=test.io/c reportingComponent=test.io/c involvedObject.uid=",
                "new");
        selected(
                other,
                "regarding.kind=ConfigMap regarding.name=a regarding.uid=u regarding.apiVersion=v1"
                        + " regarding.resourceVersion=7 regarding.fieldPath=data reason=Test type=Warning"
                        + " reportingController=",
                "old");
        selected(other, "regarding.name=b reportingController=test.io/c regarding.kind!=ConfigMap", "new");
        selected(other, "regarding.namespace=" + namespace, "new", "old");
        api.get(other + "?fieldSelector=involvedObject.name=a").refused(400, "BadRequest");
        api.get(core + "?fieldSelector=regarding.name=a").refused(400, "BadRequest");
    }

    @Test
    void selectsJobsByHowManyPodsSucceeded() {
        String jobs = "/apis/batch/v1/namespaces/" + namespace + "/jobs";
        api.create(jobs, json("""
                {'metadata':{'name':'j'},'spec':{'template':{'spec':{
                 'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}""")).ok();
        assertThat(api.get(jobs + "?fieldSelector=status.successful=0").ok().node("/items"))
                .hasSize(1);
        assertThat(api.get(jobs + "?fieldSelector=status.successful!=0").ok().node("/items"))
                .isEmpty();
    }

    @Test
    void selectsWhatIsOutsideOfNamespaces() {
        String node = "n" + namespace;
        api.create("/api/v1/nodes", json("{'metadata':{'name':'%s'}}", node)).ok();
        selected("/api/v1/nodes", "spec.unschedulable=false,metadata.name=" + node, node);
        selected("/api/v1/nodes", "spec.unschedulable=true,metadata.name=" + node);
        selected("/api/v1/namespaces", "status.phase=Active,metadata.name=" + namespace, namespace);
        api.delete("/api/v1/nodes/" + node).ok();
    }

    @Test
    void listsTheStateOfAnExactVersion() {
        create("a");
        String version = create("b").version();
        create("c");
        api.delete(configMap("a")).ok();
        Reply list = api.get(configMaps() + "?resourceVersion=" + version + "&resourceVersionMatch=Exact")
                .ok();
        assertThat(list.names()).containsExactly("a", "b");
        assertThat(list.version()).isEqualTo(version);
    }

    @Test
    void listsNoOlderStateThanAskedFor() {
        String version = create("a").version();
        Reply list = api.get(configMaps() + "?resourceVersion=" + version + "&resourceVersionMatch=NotOlderThan")
                .ok();
        assertThat(list.names()).containsExactly("a");
    }

    @Test
    void listsAnyStateForVersionZero() {
        create("a");
        eventually(() -> assertThat(
                        api.get(configMaps() + "?resourceVersion=0").ok().names())
                .containsExactly("a"));
    }

    @Test
    void refusesAVersionThatIsYetToCome() {
        Reply reply = api.get(configMaps() + "?resourceVersion=999999999").refused(504, "Timeout");
        assertThat(reply.message()).startsWith("Timeout: Too large resource version: 999999999, current: ");
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("ResourceVersionTooLarge");
    }

    @Test
    void refusesAVersionThatIsNone() {
        api.get(configMaps() + "?resourceVersion=abc").refused(400, "BadRequest");
    }

    @Test
    void needsAVersionForAMatch() {
        api.get(configMaps() + "?resourceVersionMatch=Exact").refused(422, "Invalid");
    }

    @Test
    void knowsNoOtherMatch() {
        api.get(configMaps() + "?resourceVersion=1&resourceVersionMatch=Roughly")
                .refused(422, "Invalid");
    }

    @Test
    void answersInYaml() {
        create("a");
        Reply reply = api.get(configMap("a"), "application/yaml");
        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.headers().get("Content-Type")).contains("yaml");
    }

    @Test
    void takesTheNextMediaTypeItKnows() {
        create("a");
        assertThat(api.get(configMap("a"), "text/csv, application/json").ok().at("/metadata/name"))
                .isEqualTo("a");
    }

    @Test
    void refusesMediaTypesItDoesNotKnow() {
        assertThat(api.get(configMaps(), "text/csv").code()).isEqualTo(406);
    }

    @Test
    void answersWithMetadataAlone() {
        create("a");
        Reply list = api.get(configMaps(), "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
                .ok();
        assertThat(list.at("/kind")).isEqualTo("PartialObjectMetadataList");
        assertThat(list.names()).containsExactly("a");
        assertThat(list.node("/items/0/data").isMissingNode()).isTrue();
    }

    @Test
    void selectsByLabelsInOrder() {
        for (String number : List.of("2", "10")) {
            api.create(configMaps(), json("{'metadata':{'name':'n%s','labels':{'n':'%s'}}}", number, number))
                    .ok();
        }
        api.create(configMaps(), json("{'metadata':{'name':'word','labels':{'n':'many'}}}"))
                .ok();
        create("none");
        assertThat(select("n>2")).containsExactly("n10");
        assertThat(select("n<3")).containsExactly("n2");
        String tooLong = "a".repeat(64);
        for (String wrong : List.of(
                "n>x",
                "n>-1",
                "-n=x",
                "n=-x",
                "n,",
                "a b",
                "n in x",
                "a/b/c",
                "a/",
                "a/ in (b)",
                "a/b/c>1",
                "!a/b/c",
                "n=" + tooLong,
                "n in (" + tooLong + ")",
                "n notin (-)",
                tooLong,
                tooLong + "=a")) {
            api.get(configMaps() + "?labelSelector=" + java.net.URLEncoder.encode(wrong, StandardCharsets.UTF_8))
                    .refused(400, "BadRequest");
        }
    }

    @Test
    void selectsByEscapedAndEmptyFields() {
        create("a");
        assertThat(api.get(configMaps() + "?fieldSelector=metadata.name=a,")
                        .ok()
                        .names())
                .containsExactly("a");
        assertThat(api.get(configMaps() + "?fieldSelector=metadata.name=a%5C,b")
                        .ok()
                        .names())
                .isEmpty();
        assertThat(api.get(configMaps() + "?fieldSelector=metadata.name!=a%5C=b")
                        .ok()
                        .names())
                .contains("a");
        for (String wrong : List.of("", "=a%5Cb", "=a%5C")) {
            api.get(configMaps() + "?fieldSelector=metadata.name" + wrong).refused(400, "BadRequest");
        }
    }

    @Test
    void listsByNoOddTime() {
        api.get(configMaps() + "?timeoutSeconds=abc").refused(400, "BadRequest");
        api.get(configMaps() + "?timeoutSeconds=5").ok();
    }

    @Test
    void answersInAnOlderVersionOfMetadata() {
        create("a");
        for (String as : List.of("Table", "PartialObjectMetadataList")) {
            Reply list = api.get(configMaps(), "application/json;as=" + as + ";g=meta.k8s.io;v=v1beta1")
                    .ok();
            assertThat(list.at("/apiVersion")).isEqualTo("meta.k8s.io/v1beta1");
        }
        Reply one = api.get(configMap("a"), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1");
        assertThat(one.ok().at("/apiVersion")).isEqualTo("meta.k8s.io/v1beta1");
        String of = "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
        api.get(configMaps(), of).refused(406, "NotAcceptable");
        api.get(configMap("a"), of + "List").refused(406, "NotAcceptable");
    }

    @Test
    void takesInitialEventsForNoList() {
        api.get(configMaps() + "?sendInitialEvents=true&resourceVersion=1&resourceVersionMatch=NotOlderThan")
                .refused(422, "Invalid");
    }

    @Test
    void takesNoExactVersionZero() {
        api.get(configMaps() + "?resourceVersion=0&resourceVersionMatch=Exact").refused(422, "Invalid");
    }

    @Test
    void listsNothingOfANamespaceThatIsNotThere() {
        assertThat(api.get("/api/v1/namespaces/none-such/configmaps").ok().names())
                .isEmpty();
    }

    @Test
    void failsToGetAtAVersionThatIsNone() {
        create("a");
        assertThat(api.get(configMap("a") + "?resourceVersion=abc").code()).isEqualTo(500);
    }
}

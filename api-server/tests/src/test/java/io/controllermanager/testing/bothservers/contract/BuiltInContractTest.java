package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.bothservers.contract.Watching.Event;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BuiltInContractTest extends Contract {

    BuiltInContractTest(TestedServer server) {
        super(server);
    }

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @Test
    void writesAStatusThroughItsSubresource() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply updated = api.patch(
                        deployment("d") + "/status", Api.MERGE_PATCH, "{'spec':{'replicas':9},'status':{'replicas':3}}")
                .ok();
        assertThat(updated.node("/status/replicas").asInt()).isEqualTo(3);
        assertThat(updated.node("/spec/replicas").asInt()).isEqualTo(1);
        assertThat(updated.node("/metadata/generation").asInt()).isEqualTo(1);
    }

    private static final String WORKLOAD =
            "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{CONTAINERS}}";
    private static final String CONTAINERS = "'containers':[{'name':'c','image':'i'}]";

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "/apis/apps/v1/*/deployments; 'spec':{WORKLOAD}; {}",
                "/apis/apps/v1/*/replicasets; 'spec':{WORKLOAD}; {'replicas':0}",
                "/apis/apps/v1/*/statefulsets; 'spec':{'serviceName':'s',WORKLOAD}; {'replicas':0,'availableReplicas':0}",
                "/apis/apps/v1/*/daemonsets; 'spec':{WORKLOAD};"
                        + "{'currentNumberScheduled':0,'numberMisscheduled':0,'desiredNumberScheduled':0,'numberReady':0}",
                "/api/v1/*/services; 'spec':{'ports':[{'port':80}]}; {'loadBalancer':{}}",
                "/api/v1/*/pods; 'spec':{CONTAINERS}; {'phase':'Pending','qosClass':'BestEffort'}",
                "/api/v1/*/persistentvolumeclaims; 'spec':{'accessModes':['ReadWriteOnce'],"
                        + "'resources':{'requests':{'storage':'1Gi'}}}; {'phase':'Pending'}",
                "/api/v1/nodes; 'kind':'Node'; {'daemonEndpoints':{'kubeletEndpoint':{'Port':0}},'nodeInfo':{"
                        + "'architecture':'','bootID':'','containerRuntimeVersion':'','kernelVersion':'',"
                        + "'kubeProxyVersion':'','kubeletVersion':'','machineID':'','operatingSystem':'',"
                        + "'osImage':'','systemUUID':''}}"
            })
    void givesWhatIsNewAStatusThatNobodyManages(String path, String fields, String status) {
        String collection = path.replace("*", "namespaces/" + namespace);
        String name = "n" + namespace;
        ObjectNode object = json("{'metadata':{'name':'%s'},"
                        .formatted(name)
                        .concat(fields.replace("WORKLOAD", WORKLOAD).replace("CONTAINERS", CONTAINERS))
                + ",'status':{'conditions':[]}}");
        Reply created = api.create(collection, object).ok();
        assertThat(created.node("/status")).isEqualTo(json(status));
        assertThat(created.node("/metadata/managedFields").findValue("f:status"))
                .isNull();
        String one = collection + "/" + name;
        ObjectNode without = (ObjectNode) created.body().deepCopy();
        without.remove("status");
        without.withObject("/metadata").putObject("labels").put("a", "b");
        assertThat(api.put(one, without).ok().node("/status")).isEqualTo(json(status));
        assertThat(api.get(one).ok().node("/status")).isEqualTo(json(status));
        api.delete(one).ok();
    }

    @Test
    void keepsAStatusThatIsTakenAway() {
        api.create(deployments(), newDeployment("d")).ok();
        api.patch(deployment("d") + "/status", Api.MERGE_PATCH, "{'status':{'replicas':3}}")
                .ok();
        Reply patched = api.patch(deployment("d") + "/status", Api.MERGE_PATCH, "{'status':null}")
                .ok();
        assertThat(patched.node("/status")).isEqualTo(json("{}"));
        Reply applied = api.patch(
                        deployment("e") + "?fieldManager=f",
                        Api.APPLY_PATCH,
                        newDeployment("e").toString())
                .ok();
        assertThat(applied.node("/status")).isEqualTo(json("{}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{}; {}; BestEffort",
                "{'requests':{'cpu':'0','ephemeral-storage':'1Gi'}}; {}; BestEffort",
                "{'requests':{'cpu':'100m'}}; {}; Burstable",
                "{'limits':{'cpu':'1','memory':'1Gi'}}; {'limits':{'cpu':'2','memory':'1Gi'}}; Guaranteed",
                "{'limits':{'cpu':'1','memory':'1Gi'}}; {}; Burstable",
                "{'limits':{'cpu':'1'}}; {'limits':{'cpu':'1','memory':'1Gi'}}; Burstable",
                "{'limits':{'cpu':'1','memory':'1Gi'},'requests':{'cpu':'1000m'}}; "
                        + "{'limits':{'cpu':'1','memory':'1024Mi'},'requests':{'memory':'1Gi'}}; Guaranteed",
                "{'limits':{'cpu':'1','memory':'1Gi'},'requests':{'cpu':'500m'}}; "
                        + "{'limits':{'cpu':'1','memory':'1Gi'}}; Burstable"
            })
    void classesAPodByItsResources(String some, String others, String quality) {
        Reply pod = api.create("/api/v1/namespaces/" + namespace + "/pods", json("""
                {'metadata':{'name':'p'},'spec':{'containers':[
                 {'name':'a','image':'i','resources':%s},{'name':'b','image':'i','resources':%s}]}}""", some, others))
                .ok();
        assertThat(pod.at("/status/qosClass")).isEqualTo(quality);
        assertThat(pod.at("/spec/containers/0/resources/requests/memory"))
                .isEqualTo(pod.at("/spec/containers/0/resources/limits/memory"));
    }

    @Test
    void leavesOutListsAndMapsThatAreEmpty() {
        ObjectNode deployment = newDeployment("d");
        ObjectNode pod = (ObjectNode) deployment.at("/spec/template/spec");
        pod.putArray("volumes");
        pod.putObject("nodeSelector");
        pod.putObject("securityContext");
        ((ObjectNode) deployment.get("metadata")).putObject("annotations");
        Reply created = api.create(deployments(), deployment).ok();
        assertThat(created.node("/metadata").has("annotations")).isFalse();
        assertThat(created.node("/spec/template/spec").has("volumes")).isFalse();
        assertThat(created.node("/spec/template/spec").has("nodeSelector")).isFalse();
        assertThat(created.node("/spec/template/spec").has("securityContext")).isTrue();
        pod = (ObjectNode) created.body().at("/spec/template/spec");
        pod.putArray("tolerations");
        assertThat(api.put(deployment("d"), created.body()).ok().version()).isEqualTo(created.version());
    }

    @Test
    void takesADefinitionWithListsThatAreEmptyAsOneWithoutThem() {
        String crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        String group = "e" + namespace + ".example.com";
        Reply created = api.create(crd, json("""
                {'metadata':{'name':'empties.%1$s'},
                 'spec':{'group':'%1$s','scope':'Cluster','names':{'plural':'empties','kind':'Empty'},'versions':[
                  {'name':'v1','served':true,'storage':true,'additionalPrinterColumns':[],
                   'schema':{'openAPIV3Schema':{'type':'object','enum':[],'oneOf':[],'allOf':[],'required':[],
                    'properties':{'a':{'type':'object','properties':{},'enum':[],'default':{}},
                                  'enum':{'type':'array','items':{'type':'string','enum':[],'oneOf':[]}}}}}}]}}""", group)).ok();
        assertThat(created.node("/spec/versions/0/schema/openAPIV3Schema")).isEqualTo(json("""
                {'type':'object','properties':{'a':{'type':'object','default':{}},
                 'enum':{'type':'array','items':{'type':'string'}}}}"""));
        String empties = "/apis/" + group + "/v1/empties";
        eventually(() -> api.create(
                        empties,
                        json("{'apiVersion':'%s/v1','kind':'Empty','metadata':{'name':'e'},'enum':['x']}", group))
                .ok());
        api.delete(crd + "/empties." + group).ok();
    }

    @Test
    void mergesConditionsStrategically() {
        api.create(deployments(), newDeployment("d")).ok();
        String path = deployment("d") + "/status";
        api.patch(path, Api.STRATEGIC_PATCH, "{'status':{'conditions':[{'type':'A','status':'True'}]}}")
                .ok();
        Reply both = api.patch(path, Api.STRATEGIC_PATCH, "{'status':{'conditions':[{'type':'B','status':'True'}]}}")
                .ok();
        assertThat(both.node("/status/conditions").findValuesAsText("type")).containsExactlyInAnyOrder("A", "B");
    }

    @Test
    void refusesADeploymentWhoseSelectorNoLabelCanMatch() {
        ObjectNode deployment = newDeployment("d");
        String label = "a".repeat(64);
        ((ObjectNode) deployment.at("/spec/selector/matchLabels")).put("app", label);
        ((ObjectNode) deployment.at("/spec/template/metadata/labels")).put("app", label);
        Reply refused = api.create(deployments(), deployment).refused(422, "Invalid");
        assertThat(refused.node("/details/causes").findValuesAsText("field"))
                .contains("spec.selector.matchLabels")
                .doesNotContain("spec.template.labels");
    }

    @Test
    void refusesADeploymentWhosePodsCannotHaveTheirLabels() {
        ObjectNode deployment = newDeployment("d");
        ((ObjectNode) deployment.at("/spec/template/metadata/labels")).put("long", "a".repeat(64));
        Reply refused = api.create(deployments(), deployment).refused(422, "Invalid");
        assertThat(refused.node("/details/causes").findValuesAsText("field")).containsExactly("spec.template.labels");
        assertThat(refused.message()).contains("must be no more than 63 bytes");
    }

    @Test
    void scalesADeployment() {
        api.create(deployments(), newDeployment("d")).ok();
        ObjectNode scale = (ObjectNode) api.get(deployment("d") + "/scale").ok().body();
        assertThat(scale.at("/status/selector").asText()).isEqualTo("app=a");
        ((ObjectNode) scale.get("spec")).put("replicas", 3);
        api.put(deployment("d") + "/scale", scale).ok();
        Reply deployment = api.get(deployment("d"));
        assertThat(deployment.node("/spec/replicas").asInt()).isEqualTo(3);
        assertThat(deployment.node("/metadata/generation").asInt()).isEqualTo(2);
    }

    @Test
    void hasNoStatusOfAConfigMap() {
        create("a");
        assertThat(api.get(configMap("a") + "/status").code()).isEqualTo(404);
    }

    @Test
    void keepsMicrosecondsOfALease() {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
        ObjectNode lease = json(
                "{'metadata':{'name':'l'},'spec':{'holderIdentity':'me','leaseDurationSeconds':15,'renewTime':'2030-01-02T03:04:05.678901Z'}}");
        assertThat(api.create(leases, lease).ok().at("/spec/renewTime")).isEqualTo("2030-01-02T03:04:05.678901Z");
        ((ObjectNode) lease.get("spec")).put("renewTime", "2030-01-02T03:04:05Z");
        api.put(leases + "/l", lease).refused(400, "BadRequest");
    }

    @Test
    void keepsMicrosecondsOfAnEventsSeries() {
        String events = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events";
        ObjectNode event = json(
                "{'metadata':{'name':'e'},'regarding':{'kind':'ConfigMap','name':'a','namespace':'%s'},'reason':'Test',"
                        + "'type':'Normal','action':'Test','reportingController':'test.io/c','reportingInstance':'i',"
                        + "'eventTime':'2030-01-02T03:04:05.678901Z',"
                        + "'series':{'count':2,'lastObservedTime':'2030-01-02T03:04:06.000000Z'}}",
                namespace);
        Reply created = api.create(events, event).ok();
        assertThat(created.at("/eventTime")).isEqualTo("2030-01-02T03:04:05.678901Z");
        assertThat(created.at("/series/lastObservedTime")).isEqualTo("2030-01-02T03:04:06.000000Z");
    }

    @Test
    void showsEventsInBothGroups() {
        String core = "/api/v1/namespaces/" + namespace + "/events";
        ObjectNode event = json(
                "{'metadata':{'name':'e'},'involvedObject':{'kind':'ConfigMap','name':'a','namespace':'%s'},'reason':'Test',"
                        + "'message':'hello','type':'Normal','count':2}",
                namespace);
        api.create(core, event).ok();
        Reply other = api.get("/apis/events.k8s.io/v1/namespaces/" + namespace + "/events/e")
                .ok();
        assertThat(other.at("/note")).isEqualTo("hello");
        assertThat(other.at("/regarding/name")).isEqualTo("a");
        assertThat(other.node("/deprecatedCount").asInt()).isEqualTo(2);
        assertThat(api.get(core + "?fieldSelector=involvedObject.name=a,reason=Test")
                        .ok()
                        .names())
                .containsExactly("e");
    }

    @Test
    void printsEventsByWhatTheyAreAbout() {
        String events = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events";
        ObjectNode event = json(
                "{'metadata':{'name':'e'},'regarding':{'kind':'ConfigMap','name':'a','namespace':'%s'},'reason':'Test',"
                        + "'note':'hello','type':'Normal','action':'Test','reportingController':'test.io/c',"
                        + "'reportingInstance':'i','eventTime':'2020-01-02T03:04:05.678901Z'}",
                namespace);
        api.create(events, event).ok();
        for (String path : List.of(events, "/api/v1/namespaces/" + namespace + "/events")) {
            Reply table = api.get(path, TABLE).ok();
            assertThat(table.node("/columnDefinitions").findValuesAsText("name"))
                    .containsExactly(
                            "Last Seen",
                            "Type",
                            "Reason",
                            "Object",
                            "Subobject",
                            "Source",
                            "Message",
                            "First Seen",
                            "Count",
                            "Name");
            assertThat(table.at("/rows/0/cells/0")).matches("\\d+y(\\d+d)?");
            assertThat(table.at("/rows/0/cells/3")).isEqualTo("configmap/a");
            assertThat(table.at("/rows/0/cells/5")).isEqualTo("test.io/c, i");
            assertThat(table.at("/rows/0/cells/6")).isEqualTo("hello");
            assertThat(table.at("/rows/0/cells/8")).isEqualTo("1");
            assertThat(table.at("/rows/0/cells/9")).isEqualTo("e");
        }
    }

    @Test
    void takesRbacObjects() {
        String roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace + "/roles";
        ObjectNode role = json(
                "{'metadata':{'name':'system:r'},'rules':[{'apiGroups':[''],'resources':['pods'],'verbs':['get']}]}");
        assertThat(api.create(roles, role).ok().at("/rules/0/verbs/0")).isEqualTo("get");
    }

    /** By a Service without an address the real server shows of which family its Endpoints are. */
    @Test
    void tellsTheFamiliesOfAServiceWithoutAnAddress() {
        String services = of("v1", "services");
        String spec = "{'clusterIP':'None','clusterIPs':['None'],'internalTrafficPolicy':'Cluster','type':'ClusterIP',"
                + "'sessionAffinity':'None','ipFamilies':[%s],'ipFamilyPolicy':'%s'%s}";
        Reply selects = api.create(
                services + "?fieldManager=m",
                json("{'metadata':{'name':'s'},'spec':{'clusterIP':'None','selector':{'a':'b'}}}"));
        assertThat(selects.ok().node("/spec")).isEqualTo(json(spec, "'IPv4'", "SingleStack", ",'selector':{'a':'b'}"));
        assertThat(selects.node("/metadata/managedFields").toString()).doesNotContain("f:ipFamil", "f:clusterIPs");
        Reply any = api.create(services, json("{'metadata':{'name':'t'},'spec':{'clusterIP':'None'}}"));
        assertThat(any.ok().node("/spec")).isEqualTo(json(spec, "'IPv4','IPv6'", "RequireDualStack", ""));
        ObjectNode again = json("{'metadata':{'name':'s'},'spec':{'clusterIP':'None','selector':{'a':'c'}}}");
        assertThat(api.put(services + "/s", again).ok().at("/spec/clusterIPs/0"))
                .isEqualTo("None");
    }

    @Test
    void printsATableOfOne() {
        create("a");
        Reply table = api.get(configMap("a"), TABLE).ok();
        assertThat(table.at("/kind")).isEqualTo("Table");
        assertThat(table.node("/columnDefinitions").findValuesAsText("name")).containsExactly("Name", "Data", "Age");
        assertThat(table.at("/rows/0/cells/0")).isEqualTo("a");
        assertThat(table.at("/rows/0/cells/1")).isEqualTo("1");
        assertThat(table.at("/rows/0/object/kind")).isEqualTo("PartialObjectMetadata");
    }

    @Test
    void printsADeploymentsReadiness() {
        api.create(deployments(), newDeployment("d")).ok();
        Reply table = api.get(deployments(), TABLE).ok();
        assertThat(table.node("/columnDefinitions").findValuesAsText("name"))
                .startsWith("Name", "Ready", "Up-to-date", "Available", "Age");
        assertThat(table.at("/rows/0/cells/1")).isEqualTo("0/1");
        assertThat(table.at("/rows/0/cells/2")).isEqualTo("0");
    }

    @Test
    void watchesInTables() {
        try (Watching watch = api.watch(
                configMaps() + "?watch=true&resourceVersion="
                        + api.get(configMaps()).version(),
                TABLE)) {
            create("a");
            Event event = watch.next();
            assertThat(event.type()).isEqualTo("ADDED");
            assertThat(event.object().path("kind").asText()).isEqualTo("Table");
            assertThat(event.object().at("/rows/0/cells/0").asText()).isEqualTo("a");
        }
    }

    @Test
    void tellsTheColumnsOfAWatchOnce() {
        create("a");
        create("b");
        try (Watching watch = api.watch(
                configMaps() + "?watch=true&resourceVersion=0&labelSelector=!none",
                "application/json;as=Table;v=v1;g=meta.k8s.io")) {
            assertThat(watch.next().object().path("columnDefinitions")).hasSize(3);
            assertThat(watch.next().object().path("columnDefinitions").isNull()).isTrue();
        }
    }

    @Test
    void showsAsMuchOfAnObjectAsATableIsToHave() {
        create("a");
        String table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        assertThat(api.get(configMap("a") + "?includeObject=None", table)
                        .ok()
                        .node("/rows/0/object")
                        .isEmpty())
                .isTrue();
        assertThat(api.get(configMap("a") + "?includeObject=Object", table).ok().at("/rows/0/object/data/key"))
                .isEqualTo("value");
        assertThat(api.get(configMap("a"), table).ok().at("/rows/0/object/kind"))
                .isEqualTo("PartialObjectMetadata");
        api.get(configMap("a") + "?includeObject=Bogus", table).refused(400, "BadRequest");
    }

    @Test
    void hasTheServiceOfTheServerItself() {
        eventually(
                () -> api.get("/api/v1/namespaces/default/services/kubernetes").ok());
        Reply service =
                api.get("/api/v1/namespaces/default/services/kubernetes").ok();
        assertThat(service.at("/metadata/labels/component")).isEqualTo("apiserver");
        assertThat(service.at("/metadata/labels/provider")).isEqualTo("kubernetes");
        assertThat(service.at("/spec/type")).isEqualTo("ClusterIP");
        assertThat(service.at("/spec/ports/0/name")).isEqualTo("https");
        assertThat(service.node("/spec/ports/0/port").asInt()).isEqualTo(443);
        assertThat(service.at("/spec/clusterIP")).isEqualTo("10.0.0.1");
        assertThat(service.at("/spec/ipFamilyPolicy")).isEqualTo("SingleStack");
    }
}

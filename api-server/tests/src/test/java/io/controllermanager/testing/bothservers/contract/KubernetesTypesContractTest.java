package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The types that Kubernetes' own OpenAPI describes, beyond those that other cases are about. */
class KubernetesTypesContractTest extends Contract {

    private static final String OPEN_API = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    private static final String POD = "'containers':[{'name':'c','image':'i:1'}]";
    private static final String POD_AS_IT_IS = "'containers':[{'name':'c','image':'i:1','resources':{},"
            + "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
            + "'imagePullPolicy':'IfNotPresent'}],'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',"
            + "'securityContext':{},'schedulerName':'default-scheduler'";

    KubernetesTypesContractTest(TestedServer server) {
        super(server);
    }

    private static ObjectNode newJob(String spec) {
        return json("{'metadata':{'name':'j'},'spec':{'template':{'spec':{" + POD + ",'restartPolicy':'Never'}}" + spec
                + "}}");
    }

    /** What an object is after its creation, but for its metadata. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            /api/v1/*/replicationcontrollers; 'spec':{'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}}; 'spec':{'replicas':1,'selector':{'a':'b'},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Always',POD_AS_IT_IS}}},'status':{'replicas':0}
            /api/v1/*/podtemplates; 'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}; 'template':{'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Always',POD_AS_IT_IS}}
            /api/v1/*/resourcequotas; 'spec':{'hard':{'pods':'9'}}; 'spec':{'hard':{'pods':'9'}},'status':{}
            /apis/batch/v1/*/cronjobs; 'spec':{'schedule':'* * * * *','jobTemplate':{'spec':{'template':{'spec':{POD,'restartPolicy':'OnFailure'}}}}}; 'spec':{'schedule':'* * * * *','concurrencyPolicy':'Allow','suspend':false,'successfulJobsHistoryLimit':3,'failedJobsHistoryLimit':1,'jobTemplate':{'metadata':{},'spec':{'template':{'metadata':{},'spec':{'restartPolicy':'OnFailure',POD_AS_IT_IS}}}}},'status':{}
            /apis/autoscaling/v2/*/horizontalpodautoscalers; 'spec':{'maxReplicas':3,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}; 'spec':{'maxReplicas':3,'minReplicas':1,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'},'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':80}}}]},'status':{'desiredReplicas':0,'currentMetrics':null}
            /apis/policy/v1/*/poddisruptionbudgets; 'spec':{'minAvailable':1,'selector':{'matchLabels':{'a':'b'}}}; 'spec':{'minAvailable':1,'selector':{'matchLabels':{'a':'b'}}},'status':{'currentHealthy':0,'desiredHealthy':0,'disruptionsAllowed':0,'expectedPods':0}
            /apis/networking.k8s.io/v1/*/networkpolicies; 'spec':{'podSelector':{},'egress':[{'ports':[{'port':53}]}]}; 'spec':{'podSelector':{},'egress':[{'ports':[{'port':53,'protocol':'TCP'}]}],'policyTypes':['Ingress','Egress']}
            /apis/networking.k8s.io/v1/*/ingresses; 'spec':{'defaultBackend':{'service':{'name':'s','port':{'name':'http'}}}}; 'spec':{'defaultBackend':{'service':{'name':'s','port':{'name':'http'}}}},'status':{'loadBalancer':{}}
            /apis/discovery.k8s.io/v1/*/endpointslices; 'addressType':'IPv4','endpoints':[{'addresses':['1.2.3.4']}],'ports':[{'name':'p','port':80}]; 'addressType':'IPv4','endpoints':[{'addresses':['1.2.3.4'],'conditions':{}}],'ports':[{'name':'p','port':80,'protocol':'TCP'}]
            /apis/storage.k8s.io/v1/storageclasses; 'provisioner':'example.com/p'; 'provisioner':'example.com/p','reclaimPolicy':'Delete','volumeBindingMode':'Immediate'
            /apis/scheduling.k8s.io/v1/priorityclasses; 'value':7; 'value':7,'preemptionPolicy':'PreemptLowerPriority'
            /apis/node.k8s.io/v1/runtimeclasses; 'handler':'h'; 'handler':'h'
            /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations; 'webhooks':[{'name':'w.example.com','clientConfig':{'service':{'name':'s','namespace':'n'}},'rules':[{'apiGroups':['none.example.com'],'apiVersions':['v1'],'resources':['nothings'],'operations':['CREATE']}],'sideEffects':'None','admissionReviewVersions':['v1']}]; 'webhooks':[{'name':'w.example.com','clientConfig':{'service':{'name':'s','namespace':'n','port':443}},'rules':[{'apiGroups':['none.example.com'],'apiVersions':['v1'],'resources':['nothings'],'operations':['CREATE'],'scope':'*'}],'sideEffects':'None','admissionReviewVersions':['v1'],'failurePolicy':'Fail','matchPolicy':'Equivalent','namespaceSelector':{},'objectSelector':{},'timeoutSeconds':10}]
            """)
    void setsDefaults(String path, String fields, String expected) {
        String all = path.replace("*", "namespaces/" + namespace);
        ObjectNode object = json("{" + fields.replace("POD", POD) + "}");
        object.putObject("metadata").put("name", "t-" + namespace);
        ObjectNode created = (ObjectNode) api.create(all, object).ok().body();
        created.remove(List.of("apiVersion", "kind", "metadata"));
        ObjectNode wanted = json("{" + expected.replace("POD_AS_IT_IS", POD_AS_IT_IS) + "}");
        assertThat(withoutNulls(created)).isEqualTo(withoutNulls(wanted));
    }

    private static JsonNode withoutNulls(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.removeNulls();
        }
        node.forEach(KubernetesTypesContractTest::withoutNulls);
        return node;
    }

    @Test
    void givesAJobTheLabelsByWhichItFindsItsPods() {
        Reply job = api.create(of("batch/v1", "jobs"), newJob("")).ok();
        ObjectNode labels = json(
                "{'job-name':'j','batch.kubernetes.io/job-name':'j','controller-uid':'%1$s',"
                        + "'batch.kubernetes.io/controller-uid':'%1$s'}",
                job.uid());
        assertThat(job.node("/spec/template/metadata/labels")).isEqualTo(labels);
        assertThat(job.node("/spec/selector"))
                .isEqualTo(json("{'matchLabels':{'batch.kubernetes.io/controller-uid':'%s'}}", job.uid()));
        ObjectNode spec = (ObjectNode) job.node("/spec");
        spec.remove(List.of("template", "selector"));
        assertThat(spec).isEqualTo(json("""
                {'parallelism':1,'completions':1,'backoffLimit':6,'completionMode':'NonIndexed','suspend':false,
                 'podReplacementPolicy':'TerminatingOrFailed','manualSelector':false}"""));
        assertThat(job.node("/status")).isEqualTo(json("{}"));
        assertThat(job.node("/metadata/generation").asInt()).isEqualTo(1);
        Reply wide = api.patch(of("batch/v1", "jobs") + "/j", Api.MERGE_PATCH, "{'spec':{'parallelism':2}}")
                .ok();
        assertThat(wide.node("/metadata/generation").asInt()).isEqualTo(2);
    }

    @Test
    void letsNobodyChangeWhatAJobIsDoing() {
        String job = of("batch/v1", "jobs") + "/j";
        String otherImage = "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'i:2'}]}}}}";
        api.create(of("batch/v1", "jobs"), newJob("")).ok();
        for (String change :
                List.of(otherImage, "{'spec':{'completions':2}}", "{'spec':{'completionMode':'Indexed'}}")) {
            Reply refused = api.patch(job, Api.STRATEGIC_PATCH, change).refused(422, "Invalid");
            assertThat(refused.message()).contains("field is immutable");
        }
        api.delete(job + "?propagationPolicy=Background").ok();
        api.create(of("batch/v1", "jobs"), newJob(",'completionMode':'Indexed','completions':2,'parallelism':2"))
                .ok();
        api.patch(job, Api.MERGE_PATCH, "{'spec':{'completions':3,'parallelism':3}}")
                .ok();
    }

    @Test
    void leavesThePodsOfAJobWithoutCompletionsToIt() {
        Reply job = api.create(
                        of("batch/v1", "jobs"), newJob(",'parallelism':3,'backoffLimitPerIndex':null,'suspend':true"))
                .ok();
        assertThat(job.node("/spec").has("completions")).isFalse();
        assertThat(job.node("/spec/parallelism").asInt()).isEqualTo(3);
        assertThat(job.node("/spec/suspend").asBoolean()).isTrue();
    }

    @Test
    void refusesAJobWhosePodsStartAgainForEver() {
        String template = "{'spec':{" + POD + "}}";
        Reply job = api.create(
                        of("batch/v1", "jobs"), json("{'metadata':{'name':'j'},'spec':{'template':" + template + "}}"))
                .refused(422, "Invalid");
        assertThat(job.message())
                .contains("spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"");
        Reply cronJob = api.create(
                        of("batch/v1", "cronjobs"),
                        json(
                                "{'metadata':{'name':'j'},'spec':{'schedule':'* * * * *','jobTemplate':{'spec':{'template':"
                                        + template + "}}}}"))
                .refused(422, "Invalid");
        assertThat(cronJob.message())
                .contains("spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "
                        + "\"OnFailure\", \"Never\"");
    }

    @Test
    void leavesAJobsPodsWhereADeletionDoesNotSayWhatBecomesOfThem() {
        Reply job = api.create(of("batch/v1", "jobs"), newJob("")).ok();
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        api.create(secrets, json("""
                        {'metadata':{'name':'s','ownerReferences':[
                          {'apiVersion':'batch/v1','kind':'Job','name':'j','uid':'%s'}]}}""", job.uid())).ok();
        api.delete(of("batch/v1", "jobs") + "/j").ok();
        eventually(() -> {
            assertThat(api.get(of("batch/v1", "jobs") + "/j").code()).isEqualTo(404);
            assertThat(api.get(secrets + "/s").ok().node("/metadata").has("ownerReferences"))
                    .isFalse();
        });
    }

    @Test
    void mergesListsByTheirKeys() {
        api.create(of("batch/v1", "jobs"), newJob("")).ok();
        String status = of("batch/v1", "jobs") + "/j/status";
        api.patch(status, Api.STRATEGIC_PATCH, "{'status':{'conditions':[{'type':'A','status':'True'}]}}")
                .ok();
        Reply both = api.patch(status, Api.STRATEGIC_PATCH, "{'status':{'conditions':[{'type':'B','status':'True'}]}}")
                .ok();
        assertThat(both.node("/status/conditions").findValuesAsText("type")).containsExactlyInAnyOrder("A", "B");
        String slices = of("discovery.k8s.io/v1", "endpointslices") + "/s?fieldManager=";
        String slice = "{'apiVersion':'discovery.k8s.io/v1','kind':'EndpointSlice','metadata':{'name':'s'},"
                + "'addressType':'IPv4','endpoints':[{'addresses':['%s']}],'ports':[]}";
        api.patch(slices + "one", Api.APPLY_PATCH, slice.formatted("1.2.3.4")).ok();
        // The list of endpoints is atomic.
        api.patch(slices + "two", Api.APPLY_PATCH, slice.formatted("1.2.3.5")).refused(409, "Conflict");
    }

    @Test
    void showsAutoscalersInTwoVersions() {
        String v1 = of("autoscaling/v1", "horizontalpodautoscalers");
        String v2 = of("autoscaling/v2", "horizontalpodautoscalers");
        String target = "'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}";
        api.create(v1, json("{'metadata':{'name':'a'},'spec':{'maxReplicas':3,%s}}", target))
                .ok();
        assertThat(api.get(v2 + "/a").ok().at("/spec/metrics/0/resource/target/averageUtilization"))
                .isEqualTo("80");
        api.create(v2, json("""
                        {'metadata':{'name':'b'},'spec':{'maxReplicas':3,%s,'metrics':[
                          {'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':50}}},
                          {'type':'Resource','resource':{'name':'memory','target':{'type':'AverageValue','averageValue':'1Gi'}}}]}}""", target)).ok();
        ObjectNode b = (ObjectNode) api.get(v1 + "/b").ok().body();
        assertThat(b.at("/spec")).isEqualTo(json("""
                {'maxReplicas':3,'minReplicas':1,'targetCPUUtilizationPercentage':50,%s}""", target));
        assertThat(b.at("/metadata/annotations").has("autoscaling.alpha.kubernetes.io/metrics"))
                .isTrue();
        ((ObjectNode) b.path("spec")).put("targetCPUUtilizationPercentage", 60);
        api.put(v1 + "/b", b).ok();
        Reply after = api.get(v2 + "/b").ok();
        assertThat(after.node("/metadata").has("annotations")).isFalse();
        assertThat(after.node("/spec/metrics").findValuesAsText("averageUtilization"))
                .containsExactly("60");
        assertThat(after.node("/spec/metrics").findValuesAsText("averageValue")).containsExactly("1Gi");
        String metrics = "{'spec':{'metrics':[{'type':'Resource','resource':{'name':'cpu','target':"
                + "{'type':'Utilization','averageUtilization':70}}}]}}";
        api.patch(v2 + "/b", Api.MERGE_PATCH, metrics).ok();
        assertThat(api.get(v1 + "/b").ok().at("/spec/targetCPUUtilizationPercentage"))
                .isEqualTo("70");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "metrics | x",
                "metrics | {}",
                "behavior | [",
                "behavior | []",
                "current-metrics | x",
                "conditions | 5"
            })
    void takesNoNotesOfAnAutoscalerThatDoNotRead(String note, String text) {
        String path = of("autoscaling/v1", "horizontalpodautoscalers");
        Reply created = api.create(path, json("""
                        {'metadata':{'name':'a','annotations':{'autoscaling.alpha.kubernetes.io/%s':'%s','own':'1'}},
                         'spec':{'maxReplicas':3,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}}""", note, text)).ok();
        assertThat(created.node("/metadata/annotations")).isEqualTo(json("{'own':'1'}"));
    }

    @Test
    void selectsJobsByTheirSuccess() {
        String jobs = of("batch/v1", "jobs");
        api.create(jobs, newJob("")).ok();
        assertThat(api.get(jobs + "?fieldSelector=status.successful=1").ok().names())
                .isEmpty();
        api.get(jobs + "?fieldSelector=status.failed=1").refused(400, "BadRequest");
    }

    @Test
    void listsTheResourcesOfAGroup() {
        Reply batch = api.get("/apis/batch/v1").ok();
        assertThat(batch.node("/resources").findValuesAsText("name"))
                .containsExactly("cronjobs", "cronjobs/status", "jobs", "jobs/status");
        JsonNode cronJobs = batch.node("/resources/0");
        assertThat(cronJobs.path("shortNames").path(0).asText()).isEqualTo("cj");
        assertThat(cronJobs.path("categories").path(0).asText()).isEqualTo("all");
    }

    @Test
    void warnsWhereNothingComesOfAnObject() {
        Reply quota = api.create(
                        "/api/v1/namespaces/" + namespace + "/resourcequotas",
                        json("{'metadata':{'name':'q'},'spec':{'hard':{'pods':'9'}}}"))
                .ok();
        assertThat(quota.warnings()).hasSize(server.isEmbedded() ? 1 : 0);
    }

    @Test
    void publishesOpenApiInVersion2() {
        String group = namespace + ".example.com";
        String crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        api.create(crds, json("""
                        {'metadata':{'name':'things.%1$s'},'spec':{'group':'%1$s','scope':'Namespaced',
                          'names':{'plural':'things','kind':'Thing'},'versions':[{'name':'v1','served':true,'storage':true,
                            'schema':{'openAPIV3Schema':{'type':'object','description':'A thing.','properties':{'spec':{
                              'type':'object','required':['size'],'properties':{
                                'size':{'type':'integer','minimum':1,'default':3},
                                'either':{'x-kubernetes-int-or-string':true,'anyOf':[{'type':'integer'},{'type':'string'}]},
                                'nothing':{'type':'string','nullable':true},
                                'any':{'type':'object','x-kubernetes-preserve-unknown-fields':true,
                                       'properties':{'a':{'type':'string'}}}}}}}}}]}}""", group)).ok();
        String name = "com.example." + namespace + ".v1.Thing";
        eventually(() -> assertThat(
                        api.get("/openapi/v2").ok().node("/definitions").has(name))
                .isTrue());
        Reply document = api.get("/openapi/v2").ok();
        assertThat(document.at("/swagger")).isEqualTo("2.0");
        JsonNode thing = document.node("/definitions").path(name);
        assertThat(thing.path("description").asText()).isEqualTo("A thing.");
        assertThat(thing.at("/properties/metadata/$ref").asText())
                .isEqualTo("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
        assertThat(thing.at("/properties/spec")).isEqualTo(json("""
                {'type':'object','required':['size'],'properties':{'size':{'type':'integer','minimum':1},
                 'either':{'x-kubernetes-int-or-string':true},'nothing':{},
                 'any':{'x-kubernetes-preserve-unknown-fields':true}}}"""));
        assertThat(thing.at("/x-kubernetes-group-version-kind"))
                .isEqualTo(json("{'a':[{'group':'%s','kind':'Thing','version':'v1'}]}", group)
                        .path("a"));
        JsonNode container = document.node("/definitions").path("io.k8s.api.core.v1.Container");
        assertThat(container.at("/properties/resources/$ref").asText())
                .isEqualTo("#/definitions/io.k8s.api.core.v1.ResourceRequirements");
        assertThat(container.at("/properties/env/x-kubernetes-patch-merge-key").asText())
                .isEqualTo("name");
        assertThat(document.node("/definitions")
                        .path("io.k8s.apimachinery.pkg.util.intstr.IntOrString")
                        .path("type")
                        .asText())
                .isEqualTo("string");
        api.delete(crds + "/things." + group).ok();
    }

    @Test
    void givesOpenApiInTheFormThatIsAskedFor() {
        for (String accept : List.of(OPEN_API, OPEN_API.replace("spec.v2.", "spec.v2@"))) {
            Reply protobuf = api.get("/openapi/v2", accept).ok();
            assertThat(protobuf.headers().get("Content-Type")).isEqualTo(OPEN_API);
        }
        assertThat(api.get("/openapi/v2", "*/*").ok().at("/swagger")).isEqualTo("2.0");
        assertThat(api.get("/openapi/v2", "text/html").code()).isEqualTo(406);
    }

    @ParameterizedTest
    @CsvSource({
        "/openapi/v3/api/v1, io.k8s.api.core.v1.Binding",
        "/openapi/v3/apis/authentication.k8s.io/v1, io.k8s.api.authentication.v1.TokenReview"
    })
    void describesWhatIsNotStored(String document, String schema) {
        assertThat(api.get(document).ok().node("/components/schemas").has(schema))
                .isTrue();
    }

    @Test
    void saysInWhichFormsAPatchMayCome() {
        Reply document = api.get("/openapi/v3/apis/batch/v1").ok();
        JsonNode patch = document.node("/paths")
                .path("/apis/batch/v1/namespaces/{namespace}/jobs/{name}")
                .path("patch");
        assertThat(patch.at("/x-kubernetes-group-version-kind/kind").asText()).isEqualTo("Job");
        assertThat(patch.at("/requestBody/content").has(Api.STRATEGIC_PATCH)).isTrue();
        JsonNode schemas = document.node("/components/schemas");
        assertThat(schemas.path("io.k8s.api.batch.v1.JobSpec")
                        .at("/properties/backoffLimit/description")
                        .asText())
                .contains("number of retries");
        assertThat(schemas.has("io.k8s.api.core.v1.PodSpec")).isTrue();
        assertThat(schemas.has("io.k8s.api.batch.v1.JobList")).isTrue();
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Kubernetes' code makes of built-in types that are created or changed. */
class BuiltInDefaultsContractTest extends Contract {

    private static final String POD = "'containers':[{'name':'c','image':'i:1'}]";
    private static final String WORKLOAD = "{'metadata':{'name':'w'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
            + "'template':{'metadata':{'labels':{'a':'b'}},'spec':{" + POD + "}}}}";

    BuiltInDefaultsContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void quantitiesAreCanonical() {
        new Cases(api, of("v1", "resourcequotas"), "{'metadata':{'name':'q'},'spec':{}}").show("""
                spec.hard.pods='1000m'; spec.hard.pods; '1'
                spec.hard.pods=1; spec.hard.pods; '1'
                spec.hard.pods=1500; spec.hard.pods; '1500'
                spec.hard.cpu=0.5; spec.hard.cpu; '500m'
                spec.hard.cpu='0.0001'; spec.hard.cpu; '1m'
                spec.hard.cpu='1.25k'; spec.hard.cpu; '1250'
                spec.hard.cpu='1000000'; spec.hard.cpu; '1M'
                spec.hard.cpu='1e3'; spec.hard.cpu; '1e3'
                spec.hard.cpu='0m'; spec.hard.cpu; '0'
                spec.hard.memory='1024Mi'; spec.hard.memory; '1Gi'
                spec.hard.memory='1.5Gi'; spec.hard.memory; '1536Mi'
                spec.hard.memory='1025Ki'; spec.hard.memory; '1025Ki'
                spec.hard.memory='1Gi '; spec.hard.memory; '1Gi'
                spec.hard.memory='1500M'; spec.hard.memory; '1500M'""");
    }

    @Test
    void ofServices() {
        new Cases(api, of("v1", "services"), "{'metadata':{'name':'s'},'spec':{'ports':[{'port':80}]}}").show("""
                spec.type=''; spec.internalTrafficPolicy; 'Cluster'
                spec.type=''; spec.type; 'ClusterIP'
                spec.type=''; spec.externalTrafficPolicy; -
                spec.ports.0.name=''; spec.ports.0.name; -
                spec.ports.0.targetPort=0; spec.ports.0.targetPort; 80
                spec.type='NodePort'; spec.externalTrafficPolicy; 'Cluster'
                spec.type='NodePort'; spec.allocateLoadBalancerNodePorts; -
                spec.type='LoadBalancer'; spec.externalTrafficPolicy; 'Cluster'
                spec.type='LoadBalancer'; spec.allocateLoadBalancerNodePorts; true
                spec.type='LoadBalancer'&spec.internalTrafficPolicy='Local'; spec.internalTrafficPolicy; 'Local'
                spec.externalIPs=['1.2.3.4']; spec.externalTrafficPolicy; 'Cluster'
                spec.type='ExternalName'&spec.externalName='a.b'; spec.internalTrafficPolicy; -
                spec.sessionAffinity='ClientIP'; spec.sessionAffinityConfig; {'clientIP':{'timeoutSeconds':10800}}
                spec.sessionAffinity='ClientIP'&spec.sessionAffinityConfig={'clientIP':{'timeoutSeconds':5}}; spec.sessionAffinityConfig; {'clientIP':{'timeoutSeconds':5}}""");
    }

    @Test
    void ofAServiceThatBecomesOfAnotherType() {
        String services = of("v1", "services");
        api.create(services, json("{'metadata':{'name':'s'},'spec':{'type':'LoadBalancer','ports':[{'port':80}]}}"))
                .ok();
        Reply inner = api.patch(services + "/s", Api.MERGE_PATCH, "{'spec':{'type':'ClusterIP'}}")
                .ok();
        assertThat(inner.node("/spec").has("externalTrafficPolicy")).isFalse();
        assertThat(inner.node("/spec").has("allocateLoadBalancerNodePorts")).isFalse();
    }

    @Test
    void ofPods() {
        new Cases(api, of("v1", "pods"), "{'metadata':{'name':'p'},'spec':{" + POD + "}}").show("""
                spec.hostname=''; spec.enableServiceLinks; true
                spec.hostname=''; spec.hostname; -
                spec.hostNetwork=false; spec.hostNetwork; -
                spec.enableServiceLinks=false; spec.enableServiceLinks; false
                spec.restartPolicy=''; spec.restartPolicy; 'Always'
                spec.volumes=[{'name':'v'}]; spec.volumes.0.emptyDir; {}
                spec.volumes=[{'name':'v','hostPath':{'path':'/x'}}]; spec.volumes.0.hostPath.type; ''
                spec.volumes=[{'name':'v','emptyDir':{'sizeLimit':'1024Mi'}}]; spec.volumes.0.emptyDir.sizeLimit; '1Gi'
                spec.hostNetwork=true&spec.containers.0.ports=[{'containerPort':80}]; spec.containers.0.ports.0.hostPort; 80
                spec.containers.0.ports=[{'containerPort':80,'hostPort':0}]; spec.containers.0.ports.0.hostPort; -
                spec.containers.0.livenessProbe={'exec':{'command':['x']},'periodSeconds':0}; spec.containers.0.livenessProbe.periodSeconds; 10
                spec.containers.0.resources.limits.cpu='1000m'; spec.containers.0.resources.requests.cpu; '1'""");
    }

    @Test
    void ofWorkloads() {
        new Cases(api, of("apps/v1", "deployments"), WORKLOAD).show("""
                spec.strategy={}; spec.strategy; {'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':'25%','maxSurge':'25%'}}
                spec.strategy={'type':'Recreate'}; spec.strategy; {'type':'Recreate'}
                spec.minReadySeconds=0; spec.minReadySeconds; -
                spec.replicas=0; spec.replicas; 0
                spec.template.spec.serviceAccountName='s'; spec.template.spec.serviceAccount; 's'
                spec.template.spec.serviceAccount='s'; spec.template.spec.serviceAccountName; 's'
                spec.replicas=0; spec.template.spec.enableServiceLinks; -""");
        new Cases(api, of("apps/v1", "daemonsets"), WORKLOAD).show("""
                spec.updateStrategy={}; spec.updateStrategy; {'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':1,'maxSurge':0}}
                spec.updateStrategy={'type':'RollingUpdate'}; spec.updateStrategy.rollingUpdate; {'maxUnavailable':1,'maxSurge':0}
                spec.updateStrategy={'type':'OnDelete'}; spec.updateStrategy; {'type':'OnDelete'}""");
        String claim = "[{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce'],"
                + "'resources':{'requests':{'storage':'1024Mi'}}}}]";
        new Cases(api, of("apps/v1", "statefulsets"), WORKLOAD).show("""
                spec.updateStrategy={}; spec.updateStrategy; {'type':'RollingUpdate','rollingUpdate':{'partition':0}}
                spec.updateStrategy={'type':'RollingUpdate'}; spec.updateStrategy; {'type':'RollingUpdate'}
                spec.updateStrategy={'type':'OnDelete'}; spec.updateStrategy; {'type':'OnDelete'}
                spec.updateStrategy={}; spec.persistentVolumeClaimRetentionPolicy; {'whenDeleted':'Retain','whenScaled':'Retain'}
                spec.volumeClaimTemplates=CLAIM; spec.volumeClaimTemplates.0.kind; 'PersistentVolumeClaim'
                spec.volumeClaimTemplates=CLAIM; spec.volumeClaimTemplates.0.apiVersion; 'v1'
                spec.volumeClaimTemplates=CLAIM; spec.volumeClaimTemplates.0.status; {'phase':'Pending'}
                spec.volumeClaimTemplates=CLAIM; spec.volumeClaimTemplates.0.spec.resources.requests.storage; '1Gi'""".replace("CLAIM", claim));
    }

    @Test
    void ofOtherTypes() {
        new Cases(
                        api,
                        of("autoscaling/v2", "horizontalpodautoscalers"),
                        "{'metadata':{'name':'h'},'spec':{'maxReplicas':3,"
                                + "'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}}")
                .show("""
                        spec.behavior={'scaleUp':{'selectPolicy':'Min'}}; spec.behavior.scaleUp; {'selectPolicy':'Min','stabilizationWindowSeconds':0,'policies':[{'type':'Pods','value':4,'periodSeconds':15},{'type':'Percent','value':100,'periodSeconds':15}]}
                        spec.behavior={'scaleUp':{}}; spec.behavior.scaleDown; {'selectPolicy':'Max','policies':[{'type':'Percent','value':100,'periodSeconds':15}]}""");
        new Cases(
                        api,
                        of("rbac.authorization.k8s.io/v1", "rolebindings"),
                        "{'metadata':{'name':'r'},'roleRef':{'kind':'Role','name':'r'}}")
                .show("""
                        subjects=[{'kind':'User','name':'u'}]; subjects.0.apiGroup; 'rbac.authorization.k8s.io'
                        subjects=[{'kind':'Group','name':'g'}]; subjects.0.apiGroup; 'rbac.authorization.k8s.io'
                        subjects=[{'kind':'ServiceAccount','name':'s','namespace':'n'}]; subjects.0.apiGroup; -""");
        new Cases(api, of("v1", "limitranges"), "{'metadata':{'name':'l'},'spec':{'limits':[]}}").show("""
                spec.limits=[{'type':'Container','max':{'cpu':'2'},'min':{'memory':'1Mi'}}]; spec.limits.0.default; {'cpu':'2'}
                spec.limits=[{'type':'Container','max':{'cpu':'2'},'min':{'memory':'1Mi'}}]; spec.limits.0.defaultRequest; {'cpu':'2','memory':'1Mi'}
                spec.limits=[{'type':'Pod','max':{'cpu':'2'}}]; spec.limits.0.default; -""");
        new Cases(
                        api,
                        of("discovery.k8s.io/v1", "endpointslices"),
                        "{'metadata':{'name':'e'},'addressType':'IPv4','endpoints':[]}")
                .show("ports=[{'port':80}]; ports.0; {'name':'','port':80,'protocol':'TCP'}");
    }

    @Test
    void ofNamespacesThatClientsDoNotFinalize() {
        String name = server.createNamespace();
        Reply changed = api.patch("/api/v1/namespaces/" + name, Api.MERGE_PATCH, "{'spec':{'finalizers':['a.b/c']}}")
                .ok();
        assertThat(changed.node("/spec/finalizers")).hasSize(1);
        assertThat(changed.at("/spec/finalizers/0")).isEqualTo("kubernetes");
    }

    @Test
    void generationsOfObjectsWithoutASpec() {
        String slices = of("discovery.k8s.io/v1", "endpointslices");
        api.create(slices, json("{'metadata':{'name':'e'},'addressType':'IPv4','endpoints':[],'ports':[]}"))
                .ok();
        Reply labelled = api.patch(slices + "/e", Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
        assertThat(labelled.node("/metadata/generation").asInt()).isEqualTo(2);
        Reply noted = api.patch(slices + "/e", Api.MERGE_PATCH, "{'metadata':{'annotations':{'a':'b'}}}")
                .ok();
        assertThat(noted.node("/metadata/generation").asInt()).isEqualTo(2);
        String classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
        String name = "p-" + namespace;
        api.create(classes, json("{'metadata':{'name':'%s'},'value':7}", name)).ok();
        Reply described = api.patch(classes + "/" + name, Api.MERGE_PATCH, "{'description':'d'}")
                .ok();
        assertThat(described.node("/metadata/generation").asInt()).isEqualTo(1);
    }

    @Test
    void timesOfAVolumesPhase() {
        String volumes = "/api/v1/persistentvolumes";
        String name = "v-" + namespace;
        Reply created = api.create(volumes, json("""
                        {'metadata':{'name':'%s'},'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1024Mi'},
                          'hostPath':{'path':'/x'}}}""", name)).ok();
        assertThat(created.at("/spec/capacity/storage")).isEqualTo("1Gi");
        assertThat(created.at("/status/lastPhaseTransitionTime")).isNotEmpty();
        String volume = volumes + "/" + name;
        String past = "2020-01-01T00:00:00Z";
        api.patch(volume + "/status", Api.MERGE_PATCH, "{'status':{'lastPhaseTransitionTime':'" + past + "'}}")
                .ok();
        assertThat(api.get(volume).at("/status/lastPhaseTransitionTime")).isEqualTo(past);
        api.patch(volume + "/status", Api.MERGE_PATCH, "{'status':{'lastPhaseTransitionTime':null}}")
                .ok();
        assertThat(api.get(volume).at("/status/lastPhaseTransitionTime")).isEqualTo(past);
        api.patch(volume + "/status", Api.MERGE_PATCH, "{'status':{'phase':'Available'}}")
                .ok();
        assertThat(api.get(volume).ok().at("/status/lastPhaseTransitionTime"))
                .isNotEmpty()
                .isNotEqualTo(past);
        api.delete(volume).ok();
    }

    @ParameterizedTest
    @CsvSource({"system-node-critical, 2000001000", "system-cluster-critical, 2000000000"})
    void priorityClassesOfTheSystem(String name, int value) {
        eventually(() -> {
            Reply priority = api.get("/apis/scheduling.k8s.io/v1/priorityclasses/" + name)
                    .ok();
            assertThat(priority.node("/value").asInt()).isEqualTo(value);
            assertThat(priority.node("/metadata/generation").asInt()).isEqualTo(1);
            assertThat(priority.at("/preemptionPolicy")).isEqualTo("PreemptLowerPriority");
        });
    }

    @ParameterizedTest
    @CsvSource({"a%01b, 422", "a%20b, 201"})
    void namesOfFieldManagersThatCanBePrinted(String manager, int code) {
        Reply reply = api.create(configMaps() + "?fieldManager=" + manager, newConfigMap("a"));
        assertThat(reply.code()).isEqualTo(code);
    }
}

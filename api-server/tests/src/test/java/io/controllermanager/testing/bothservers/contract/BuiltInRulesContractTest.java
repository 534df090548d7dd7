package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.Test;

/** What Kubernetes' code refuses of built-in types. */
class BuiltInRulesContractTest extends Contract {

    private static final String POD = "'containers':[{'name':'c','image':'i'}]";
    private static final String WORKLOAD = "{'metadata':{'name':'w'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
            + "'template':{'metadata':{'labels':{'a':'b'}},'spec':{" + POD + "}}}}";

    BuiltInRulesContractTest(TestedServer server) {
        super(server);
    }

    private Cases cases(String version, String plural, String object) {
        return new Cases(api, of(version, plural), object);
    }

    private Cases clusterCases(String version, String plural, String object) {
        String group = version.contains("/") ? "/apis/" : "/api/";
        return new Cases(api, group + version + "/" + plural, object.replace("NAME", "t-" + namespace));
    }

    @Test
    void ofJobs() {
        cases(
                        "batch/v1",
                        "jobs",
                        "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'restartPolicy':'Never'," + POD + "}}}}")
                .refuse("""
                        spec.parallelism=-1; spec.parallelism; Invalid value: -1: must be greater than or equal to 0
                        spec.completions=-1; spec.completions; Invalid value: -1: must be greater than or equal to 0
                        spec.backoffLimit=-1; spec.backoffLimit; Invalid value: -1: must be greater than or equal to 0
                        spec.ttlSecondsAfterFinished=-1; spec.ttlSecondsAfterFinished; Invalid value: -1
                        spec.activeDeadlineSeconds=-1; spec.activeDeadlineSeconds; Invalid value: -1
                        spec.completionMode='Some'; spec.completionMode; Unsupported value: 'Some'
                        spec.completionMode='Indexed'&spec.parallelism=2; spec.completions; Required value: when completion mode is Indexed
                        spec.backoffLimitPerIndex=1; spec.backoffLimitPerIndex; Invalid value: 1: requires indexed completion mode
                        spec.podReplacementPolicy='Some'; spec.podReplacementPolicy; Unsupported value: 'Some'
                        spec.manualSelector=true; spec.selector; Required value
                        spec.managedBy='me'; spec.managedBy; Invalid value: 'me': must be a domain-prefixed path""");
    }

    @Test
    void ofEventsAboutWhatIsElsewhere() {
        String event = "{'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','name':'p','namespace':'NAMESPACE'}}";
        cases("v1", "events", event.replace("NAMESPACE", namespace)).refuse("""
                        involvedObject.namespace='other'; involvedObject.namespace; Invalid value: 'other': does not match event.namespace
                        involvedObject.namespace=''; involvedObject.namespace; Invalid value: '': does not match event.namespace""");
    }

    @Test
    void ofCronJobs() {
        Cases cronJobs = cases(
                "batch/v1",
                "cronjobs",
                "{'metadata':{'name':'j'},'spec':{'schedule':'*/5 0-3,7 * JAN-mar MON','jobTemplate':{'spec':{"
                        + "'template':{'spec':{'restartPolicy':'Never'," + POD + "}}}}}}");
        cronJobs.show("""
                        spec.schedule='*\\t* * * *'; spec.schedule; '*\\t* * * *'
                        spec.schedule='1,2,, * * * *'; spec.schedule; '1,2,, * * * *'
                        spec.schedule=', * * * *'; spec.schedule; ', * * * *'
                        spec.schedule='*-7/2 +5 * * *'; spec.schedule; '*-7/2 +5 * * *'
                        spec.schedule='@every 1h.5m'; spec.schedule; '@every 1h.5m'""");
        cronJobs.refuse("""
                        spec.schedule=''; spec.schedule; Required value
                        spec.schedule='now'; spec.schedule; Invalid value: 'now': expected exactly 5 fields
                        spec.schedule='0 * * * * *'; spec.schedule; Invalid value: '0 * * * * *': expected exactly 5 fields
                        spec.schedule='61 * * * *'; spec.schedule; Invalid value: '61 * * * *'
                        spec.schedule='* * * * 7'; spec.schedule; Invalid value: '* * * * 7'
                        spec.schedule='*/0 * * * *'; spec.schedule; Invalid value: '*/0 * * * *': step of range should be a positive number: */0
                        spec.schedule='5-1 * * * *'; spec.schedule; Invalid value: '5-1 * * * *': beginning of range (5) beyond end of range (1): 5-1
                        spec.schedule='1-2-3 * * * *'; spec.schedule; Invalid value: '1-2-3 * * * *': too many hyphens: 1-2-3
                        spec.schedule='-5 * * * *'; spec.schedule; Invalid value: '-5 * * * *': failed to parse int from
                        spec.schedule='@every hello'; spec.schedule; Invalid value: '@every hello': failed to parse duration @every hello
                        spec.schedule=' @daily'; spec.schedule; Invalid value: ' @daily': expected exactly 5 fields, found 1: [@daily]
                        spec.schedule='@often'; spec.schedule; Invalid value: '@often': unrecognized descriptor
                        spec.schedule='TZ=UTC * * * * *'; spec.schedule; Invalid value: 'TZ=UTC * * * * *': cannot use TZ or CRON_TZ in schedule
                        spec.timeZone='No/Where'; spec.timeZone; Invalid value: 'No/Where': unknown time zone No/Where
                        spec.concurrencyPolicy='Some'; spec.concurrencyPolicy; Unsupported value: 'Some': supported values: 'Allow', 'Forbid', 'Replace'
                        spec.startingDeadlineSeconds=-1; spec.startingDeadlineSeconds; Invalid value: -1
                        spec.successfulJobsHistoryLimit=-1; spec.successfulJobsHistoryLimit; Invalid value: -1
                        spec.failedJobsHistoryLimit=-1; spec.failedJobsHistoryLimit; Invalid value: -1
                        spec.jobTemplate.spec.parallelism=-1; spec.jobTemplate.spec.parallelism; Invalid value: -1
                        metadata.name='a1234567890123456789012345678901234567890123456789012'; metadata.name; Invalid value""");
    }

    @Test
    void ofAutoscalers() {
        cases(
                        "autoscaling/v2",
                        "horizontalpodautoscalers",
                        "{'metadata':{'name':'h'},'spec':{'maxReplicas':3,"
                                + "'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}}")
                .refuse("""
                        spec.maxReplicas=-1; spec.maxReplicas; Invalid value: -1: must be greater than or equal to 1
                        spec.minReplicas=5; spec.maxReplicas; Invalid value: 3: must be greater than or equal to `minReplicas`
                        spec.minReplicas=-1; spec.minReplicas; Invalid value: -1
                        spec.scaleTargetRef.name=''; spec.scaleTargetRef.name; Required value
                        spec.scaleTargetRef.kind=''; spec.scaleTargetRef.kind; Required value
                        spec.metrics=[{'type':'Some'}]; spec.metrics[0].type; Unsupported value: 'Some'
                        spec.metrics=[{'type':'Pods'}]; spec.metrics[0].pods; Required value: must populate information for the given metric source
                        spec.behavior={'scaleDown':{'stabilizationWindowSeconds':-1}}; spec.behavior.scaleDown.stabilizationWindowSeconds; Invalid value: -1
                        spec.behavior={'scaleUp':{'policies':[{'type':'Some','value':1,'periodSeconds':1}]}}; spec.behavior.scaleUp.policies[0].type; Unsupported value: 'Some': supported values: 'Percent', 'Pods'
                        spec.behavior={'scaleUp':{'policies':[{'type':'Pods','value':0,'periodSeconds':1}]}}; spec.behavior.scaleUp.policies[0].value; Invalid value: 0: must be greater than zero""");
    }

    @Test
    void ofDisruptionBudgets() {
        cases("policy/v1", "poddisruptionbudgets", "{'metadata':{'name':'p'},'spec':{'minAvailable':1,'selector':{}}}")
                .refuse("""
                        spec.maxUnavailable=1; spec; Invalid value
                        spec.minAvailable=-1; spec.minAvailable; Invalid value: -1: must be greater than or equal to 0
                        spec.minAvailable='some'; spec.minAvailable; Invalid value: 'some': a valid percent string must be
                        spec.minAvailable='101%'; spec.minAvailable; Invalid value: '101%': must not be greater than 100%
                        spec.unhealthyPodEvictionPolicy='Some'; spec.unhealthyPodEvictionPolicy; Unsupported value: 'Some'""");
    }

    @Test
    void ofIngresses() {
        cases(
                        "networking.k8s.io/v1",
                        "ingresses",
                        "{'metadata':{'name':'i'},'spec':{'rules':[{'host':'a.b','http':{'paths':["
                                + "{'path':'/','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]}}")
                .refuse("""
                        spec.rules=-; spec; Invalid value
                        spec.rules.0.host='1.2.3.4'; spec.rules[0].host; Invalid value: '1.2.3.4': must be a DNS name, not an IP address
                        spec.rules.0.host='A_b'; spec.rules[0].host; Invalid value: 'A_b': a lowercase RFC 1123 subdomain must consist of
                        spec.rules.0.http.paths.0.pathType=-; spec.rules[0].http.paths[0].pathType; Required value: pathType must be specified
                        spec.rules.0.http.paths.0.pathType='Some'; spec.rules[0].http.paths[0].pathType; Unsupported value: 'Some'
                        spec.rules.0.http.paths.0.path='a'; spec.rules[0].http.paths[0].path; Invalid value: 'a': must be an absolute path
                        spec.rules.0.http.paths.0.path='/a//b'; spec.rules[0].http.paths[0].path; Invalid value: '/a//b': must not contain '//'
                        spec.rules.0.http.paths.0.backend={}; spec.rules[0].http.paths[0].backend; Invalid value
                        spec.rules.0.http.paths.0.backend.service.name=''; spec.rules[0].http.paths[0].backend.service.name; Required value
                        spec.rules.0.http.paths.0.backend.service.port={}; spec.rules[0].http.paths[0].backend; Required value: port name or number is required
                        spec.rules.0.http.paths.0.backend.service.port.number=70000; spec.rules[0].http.paths[0].backend.service.port.number; Invalid value: 70000
                        spec.tls=[{'hosts':['A_b']}]; spec.tls[0].hosts[0]; Invalid value: 'A_b'""");
    }

    @Test
    void ofNetworkPolicies() {
        cases(
                        "networking.k8s.io/v1",
                        "networkpolicies",
                        "{'metadata':{'name':'n'},'spec':{'podSelector':{},"
                                + "'ingress':[{'from':[{'ipBlock':{'cidr':'10.0.0.0/8'}}],'ports':[{'port':80,'endPort':90}]}]}}")
                .refuse("""
                        spec.ingress.0.from.0.ipBlock.cidr='10.0.0.0/99'; spec.ingress[0].from[0].ipBlock.cidr; Invalid value: '10.0.0.0/99': must be a valid CIDR value
                        spec.ingress.0.from.0.ipBlock.except=['some']; spec.ingress[0].from[0].ipBlock.except[0]; Invalid value: 'some': must be a valid CIDR value
                        spec.ingress.0.from.0.podSelector={}; spec.ingress[0].from[0]; Forbidden: may not specify both ipBlock and another peer
                        spec.ingress.0.from.0={}; spec.ingress[0].from[0]; Required value: must specify a peer
                        spec.ingress.0.ports.0.port=70000; spec.ingress[0].ports[0].port; Invalid value: 70000
                        spec.ingress.0.ports.0.endPort=1; spec.ingress[0].ports[0].endPort; Invalid value
                        spec.policyTypes=['Some']; spec.policyTypes[0]; Unsupported value: 'Some': supported values: 'Ingress', 'Egress'
                        spec.podSelector={'matchLabels':{'a b':'c'}}; spec.podSelector.matchLabels; Invalid value: 'a b': name part must consist of
                        spec.podSelector={'matchExpressions':[{'key':'a','operator':'Some'}]}; spec.podSelector.matchExpressions[0].operator; Invalid value: 'Some': not a valid selector operator
                        spec.podSelector={'matchExpressions':[{'key':'a','operator':'In'}]}; spec.podSelector.matchExpressions[0].values; Required value: must be specified when `operator` is 'In' or 'NotIn'
                        spec.podSelector={'matchExpressions':[{'key':'a','operator':'Exists','values':['b']}]}; spec.podSelector.matchExpressions[0].values; Forbidden: may not be specified""");
    }

    @Test
    void ofRolesAndBindings() {
        cases(
                        "rbac.authorization.k8s.io/v1",
                        "roles",
                        "{'metadata':{'name':'r'},'rules':[{'apiGroups':[''],'resources':['pods'],"
                                + "'verbs':['get']}]}")
                .refuse("""
                        rules.0.verbs=[]; rules[0].verbs; Required value: verbs must contain at least one value
                        rules.0.resources=[]; rules[0].resources; Required value: resource rules must supply at least one resource
                        rules.0.apiGroups=-; rules[0].apiGroups; Required value: resource rules must supply at least one api group
                        rules.0={'nonResourceURLs':['/a'],'verbs':['get']}; rules[0].nonResourceURLs; Invalid value: ['/a']: namespaced rules cannot apply to non-resource URLs""");
        String binding = "{'metadata':{'name':'NAME'},'roleRef':{'kind':'ClusterRole','name':'r'},"
                + "'subjects':[{'kind':'ServiceAccount','name':'s','namespace':'n'}]}";
        cases("rbac.authorization.k8s.io/v1", "rolebindings", binding).refuse("""
                        roleRef.kind='Some'; roleRef.kind; Unsupported value: 'Some': supported values: 'Role', 'ClusterRole'
                        roleRef.name=''; roleRef.name; Required value
                        roleRef.apiGroup='foo'; roleRef.apiGroup; Unsupported value: 'foo'
                        subjects.0.kind='Some'; subjects[0].kind; Unsupported value: 'Some': supported values: 'ServiceAccount', 'User', 'Group'
                        subjects.0.name=''; subjects[0].name; Required value""");
        clusterCases("rbac.authorization.k8s.io/v1", "clusterrolebindings", binding)
                .refuse("""
                        roleRef.apiGroup='foo'; roleRef.apiGroup; Unsupported value: 'foo'
                        roleRef.kind='Role'; roleRef.kind; Unsupported value: 'Role': supported values: 'ClusterRole'
                        subjects.0.namespace=-; subjects[0].namespace; Required value""");
    }

    @Test
    void ofVolumesAndTheirClasses() {
        Cases volumes = clusterCases(
                "v1",
                "persistentvolumes",
                "{'metadata':{'name':'NAME'},'spec':{'accessModes':['ReadWriteOnce'],"
                        + "'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}}}");
        volumes.refuse("""
                        spec.hostPath=-; spec; Required value: must specify a volume type
                        spec.hostPath.path=''; spec.hostPath.path; Required value
                        spec.accessModes=[]; spec.accessModes; Required value
                        spec.accessModes=['Some']; spec.accessModes; Unsupported value: 'Some'
                        spec.capacity=-; spec.capacity; Required value
                        spec.persistentVolumeReclaimPolicy='Some'; spec.persistentVolumeReclaimPolicy; Unsupported value: 'Some': supported values: 'Delete', 'Recycle', 'Retain'""");
        volumes.refusePatches("""
                        spec.hostPath.path='/y'; spec.persistentvolumesource; Forbidden: spec.persistentvolumesource is immutable after creation""");
        Cases classes = clusterCases(
                "storage.k8s.io/v1",
                "storageclasses",
                "{'metadata':{'name':'NAME'},'provisioner':'a.b/c','parameters':{'a':'b'}}");
        classes.refuse("""
                        volumeBindingMode='Some'; volumeBindingMode; Unsupported value: 'Some'
                        reclaimPolicy='Some'; reclaimPolicy; Unsupported value: 'Some'
                        provisioner='a/b/c'; provisioner; Invalid value: 'a/b/c'
                        provisioner='a b'; provisioner; Invalid value: 'a b'
                        parameters={'':'a'}; parameters; Invalid value
                        provisioner=''; provisioner; Required value""");
        classes.refusePatches("""
                        provisioner='x.y/z'; provisioner; Invalid value: 'x.y/z': field is immutable
                        parameters.a='c'; parameters; Invalid value: {'a':'c'}: field is immutable
                        reclaimPolicy='Retain'; reclaimPolicy; Invalid value: 'Retain': field is immutable
                        volumeBindingMode='WaitForFirstConsumer'; volumeBindingMode; Invalid value: 'WaitForFirstConsumer': field is immutable""");
        clusterCases(
                        "storage.k8s.io/v1",
                        "volumeattributesclasses",
                        "{'metadata':{'name':'NAME'},'driverName':'a.b','parameters':{'a':'b'}}")
                .refusePatches("""
                        driverName='x.y'; driverName; Forbidden: updates to driverName are forbidden.
                        parameters.a='c'; parameters; Forbidden: updates to parameters are forbidden.""");
    }

    @Test
    void ofPriorityClasses() {
        Cases classes =
                clusterCases("scheduling.k8s.io/v1", "priorityclasses", "{'metadata':{'name':'NAME'},'value':5}");
        classes.refuse("""
                        value=1000000001; value; Forbidden: maximum allowed value of a user defined priority is 1000000000
                        preemptionPolicy='Some'; preemptionPolicy; Unsupported value: 'Some'
                        metadata.name='system-node-critical'; metadata.name; Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000
                        metadata.name='system-mine'&value=1000000001; metadata.name; Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class""");
        classes.refusePatches("""
                        value=6; value; Forbidden: may not be changed in an update.
                        preemptionPolicy='Never'; preemptionPolicy; Invalid value: 'Never': field is immutable""");
    }

    @Test
    void ofLeases() {
        cases("coordination.k8s.io/v1", "leases", "{'metadata':{'name':'l'},'spec':{'holderIdentity':'h'}}")
                .refuse("""
                        spec.leaseDurationSeconds=0; spec.leaseDurationSeconds; Invalid value: 0: must be greater than 0
                        spec.leaseTransitions=-1; spec.leaseTransitions; Invalid value: -1: must be greater than or equal to 0""");
    }

    @Test
    void ofEvents() {
        String event =
                "{'metadata':{'name':'e'},'REFERENCE':{'namespace':'" + namespace + "'},'reason':'r','action':'a',"
                        + "'type':'Normal','reportingInstance':'i','REPORTER':'a.b/c','eventTime':'2026-01-01T00:00:00.000000Z'}";
        String tooLong = "a".repeat(129);
        cases("v1", "events", event.replace("REFERENCE", "involvedObject").replace("REPORTER", "reportingComponent"))
                .refuse("""
                        reportingComponent=-; reportingComponent; Required value
                        reportingComponent='a b'; reportingComponent; Invalid value: 'a b'
                        reportingInstance=-; reportingInstance; Required value
                        action=-; action; Required value
                        reason=-; reason; Required value
                        involvedObject.namespace=-; involvedObject.namespace; Invalid value
                        reportingInstance='LONG'; reportingInstance; Invalid value
                        action='LONG'; action; Invalid value
                        reason='LONG'; reason; Invalid value
                        message='LONGLONGLONGLONGLONGLONGLONGLONG'; message; Invalid value""".replace("LONG", tooLong));
        Cases events = cases(
                "events.k8s.io/v1",
                "events",
                event.replace("REFERENCE", "regarding").replace("REPORTER", "reportingController"));
        events.refuse("""
                        reportingController=-; reportingController; Required value
                        reportingController='a b'; reportingController; Invalid value: 'a b'
                        eventTime=-; eventTime; Required value
                        type='Some'; type; Invalid value
                        type=-; type
                        regarding.namespace=-; involvedObject.namespace; Invalid value
                        eventTime=-&regarding.namespace='other'; involvedObject.namespace; Invalid value
                        note='LONGLONGLONGLONGLONGLONGLONGLONG'; message; Invalid value
                        series={'count':1,'lastObservedTime':'2026-01-01T00:00:00.000000Z'}; series.count; Invalid value
                        series={'count':2,'lastObservedTime':null}; series.lastObservedTime; Required value
                        deprecatedCount=1; count; Invalid value
                        deprecatedSource={'host':'h'}; source; Invalid value
                        deprecatedFirstTimestamp='2026-01-01T00:00:00Z'; firstTimestamp; Invalid value
                        deprecatedLastTimestamp='2026-01-01T00:00:00Z'; lastTimestamp; Invalid value""".replace("LONG", tooLong));
        events.show("regarding.namespace='other'; regarding.namespace; 'other'");
        events.refusePatches("""
                        reason='x'; reason; Invalid value: 'x': field is immutable
                        note='x'; message; Invalid value: 'x': field is immutable
                        type='Warning'; type; Invalid value: 'Warning': field is immutable
                        action='x'; action; Invalid value: 'x': field is immutable
                        regarding.name='x'; involvedObject; Invalid value
                        reportingController='x.y/z'; reportingController; Invalid value
                        deprecatedCount=3; count; Invalid value
                        eventTime='2026-01-01T00:00:01.000000Z'; eventTime; Invalid value""");
        api.patch(
                        of("events.k8s.io/v1", "events") + "/e",
                        Api.MERGE_PATCH,
                        "{'series':{'count':2,'lastObservedTime':'2026-01-01T00:00:00.000000Z'}}")
                .ok();
    }

    @Test
    void ofWorkloads() {
        cases("apps/v1", "deployments", WORKLOAD).refuse("""
                        spec.strategy={'type':'Some'}; spec.strategy; Unsupported value
                        spec.strategy={'rollingUpdate':{'maxSurge':0,'maxUnavailable':0}}; spec.strategy.rollingUpdate.maxUnavailable; Invalid value: 0: may not be 0 when `maxSurge` is 0
                        spec.strategy={'rollingUpdate':{'maxSurge':'some'}}; spec.strategy.rollingUpdate.maxSurge; Invalid value: 'some': a valid percent string must be
                        spec.strategy={'rollingUpdate':{'maxUnavailable':'101%'}}; spec.strategy.rollingUpdate.maxUnavailable; Invalid value: '101%': must not be greater than 100%
                        spec.revisionHistoryLimit=-1; spec.revisionHistoryLimit; Invalid value: -1
                        spec.progressDeadlineSeconds=0; spec.progressDeadlineSeconds; Invalid value: 0: must be greater than minReadySeconds
                        spec.progressDeadlineSeconds=9&spec.minReadySeconds=9; spec.progressDeadlineSeconds; Invalid value: 9: must be greater than minReadySeconds
                        spec.selector={'matchExpressions':[{'key':'a','operator':'Some'}]}; spec.selector.matchExpressions[0].operator; Invalid value: 'Some': not a valid selector operator
                        spec.selector={'matchExpressions':[{'key':'x','operator':'Exists'}]}; spec.template.metadata.labels; Invalid value
                        spec.template.metadata.labels.a='b c'; spec.template.labels; Invalid value: 'b c': a valid label must be""");
        cases("apps/v1", "statefulsets", WORKLOAD).refuse("""
                        spec.podManagementPolicy='Some'; spec.podManagementPolicy; Invalid value: 'Some': must be 'OrderedReady' or 'Parallel'
                        spec.updateStrategy={'type':'Some'}; spec.updateStrategy; Invalid value
                        spec.updateStrategy={'rollingUpdate':{'partition':-1}}; spec.updateStrategy.rollingUpdate.partition; Invalid value: -1
                        spec.persistentVolumeClaimRetentionPolicy={'whenScaled':'Some'}; spec.persistentVolumeClaimRetentionPolicy.whenScaled; Unsupported value: 'Some'""");
        cases("apps/v1", "daemonsets", WORKLOAD).refuse("""
                        spec.updateStrategy={'type':'Some'}; spec.updateStrategy; Unsupported value
                        spec.updateStrategy={'rollingUpdate':{'maxUnavailable':'101%'}}; spec.updateStrategy.rollingUpdate.maxUnavailable; Invalid value: '101%': must not be greater than 100%""");
    }

    @Test
    void ofPods() {
        api.create(
                        of("v1", "pods"),
                        json("{'metadata':{'name':'p'},'spec':{'hostPID':true,'shareProcessNamespace':true," + POD
                                + "}}"))
                .refused(422, "Invalid");
        cases("v1", "pods", "{'metadata':{'name':'p'},'spec':{" + POD + "}}").refuse("""
                        spec.nodeSelector={'a b':'c'}; spec.nodeSelector; Invalid value: 'a b'
                        spec.tolerations=[{'key':'a','operator':'Some'}]; spec.tolerations[0].operator; Unsupported value: 'Some'
                        spec.containers.0.env=[{'name':'a','valueFrom':{'configMapKeyRef':{'name':'a'}}}]; spec.containers[0].env[0].valueFrom.configMapKeyRef.key; Required value
                        spec.containers.0.image=' i'; spec.containers[0].image; Invalid value: ' i': must not have leading or trailing whitespace
                        spec.dnsPolicy='None'; spec.dnsConfig; Required value: must provide `dnsConfig` when `dnsPolicy` is None
                        spec.hostAliases=[{'ip':'x','hostnames':['h']}]; spec.hostAliases[0].ip; Invalid value: 'x': must be a valid IP address
                        spec.volumes=[{'name':'v','configMap':{'name':'c','defaultMode':1000}}]; spec.volumes[0].configMap.defaultMode; Invalid value: 1000: must be a number between 0 and 0777
                        spec.containers.0.livenessProbe={'exec':{'command':['x']},'periodSeconds':-1}; spec.containers[0].livenessProbe.periodSeconds; Invalid value: -1
                        spec.containers.0.livenessProbe={'exec':{}}; spec.containers[0].livenessProbe.exec.command; Required value
                        spec.volumes=[{'name':'v','secret':{}}]; spec.volumes[0].secret.secretName; Required value
                        spec.volumes=[{'name':'v','persistentVolumeClaim':{}}]; spec.volumes[0].persistentVolumeClaim.claimName; Required value
                        metadata.finalizers=['orphan','foregroundDeletion']; metadata.finalizers; Invalid value
                        metadata.ownerReferences=[{'apiVersion':'v1','kind':'Event','name':'e','uid':'u'}]; metadata.ownerReferences; Invalid value""");
    }

    @Test
    void ofServicesThatAreReachedFromOutside() {
        String services = of("v1", "services");
        String service = "{'metadata':{'name':'s'},'spec':{'type':'NodePort','ports':[{'port':80,'nodePort':%s}]}}";
        assertThat(api.create(services, json(service, 1))
                        .refused(422, "Invalid")
                        .at("/details/causes/0/field"))
                .isEqualTo("spec.ports[0].nodePort");
        api.create(services, json(service, 0)).ok();
        Reply inside = api.patch(services + "/s", Api.MERGE_PATCH, "{'spec':{'type':'ClusterIP'}}")
                .ok();
        assertThat(inside.node("/spec").has("externalTrafficPolicy")).isFalse();
        assertThat(inside.node("/spec/ports/0").has("nodePort")).isFalse();
    }

    @Test
    void ofServices() {
        cases("v1", "services", "{'metadata':{'name':'s'},'spec':{'ports':[{'port':80}]}}")
                .refuse("""
                        spec.sessionAffinity='Some'; spec.sessionAffinity; Unsupported value: 'Some'
                        spec.internalTrafficPolicy='Some'; spec.internalTrafficPolicy; Unsupported value: 'Some'
                        spec.selector={'a b':'c'}; spec.selector; Invalid value: 'a b'
                        spec.type='NodePort'&spec.externalTrafficPolicy='Some'; spec.externalTrafficPolicy; Unsupported value: 'Some'
                        spec.externalTrafficPolicy='Local'; spec.externalTrafficPolicy; Invalid value: 'Local': may only be set for externally-accessible services
                        spec.ports.0.nodePort=30000; spec.ports[0].nodePort; Forbidden: may not be used when `type` is 'ClusterIP'""");
    }
}

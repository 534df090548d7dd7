package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The columns that kubectl shows of each built-in kind. */
class TableContractTest extends Contract {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final String CONTAINERS = "'containers':[{'name':'c','image':'i:1'},{'name':'d','image':'j:1'}]";
    private static final String WORKLOAD =
            "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{" + CONTAINERS
                    + "}}";

    TableContractTest(TestedServer server) {
        super(server);
    }

    /** Columns of {@code -o wide} are marked by an exclamation mark; cells are those after the name, AGE is an age. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', emptyValue = "", textBlock = """
                    /api/v1/namespaces; ^^; Status|Age; Active|AGE
                    /api/v1/*/configmaps; 'data':{'a':'b','c':'d'},'binaryData':{'e':'Zg=='}; Data|Age; 3|AGE
                    /api/v1/*/secrets; 'data':{'a':'Zg=='}; Type|Data|Age; Opaque|1|AGE
                    /api/v1/*/services; 'spec':{'type':'ClusterIP','clusterIP':'None','selector':{'x':'y','w':'z'},'ports':[{'port':80,'protocol':'TCP','name':'p'},{'port':81,'protocol':'UDP','name':'q'}]}; Type|Cluster-IP|External-IP|Port(s)|Age|!Selector; ClusterIP|None|<none>|80/TCP,81/UDP|AGE|w=z,x=y
                    /api/v1/*/services; 'spec':{'type':'ExternalName','externalName':'e.com'}; Type|Cluster-IP|External-IP|Port(s)|Age|!Selector; ExternalName|<none>|e.com|<none>|AGE|<none>
                    /api/v1/*/serviceaccounts; ^^; Age; AGE
                    /api/v1/*/pods; 'spec':{CONTAINERS}; Ready|Status|Restarts|Age|!IP|!Node|!Nominated Node|!Readiness Gates; 0/2|Pending|0|AGE|<none>|<none>|<none>|<none>
                    /api/v1/*/endpoints; ^^; Endpoints|Age; <none>|AGE
                    /api/v1/*/endpoints; 'subsets':[{'addresses':[{'ip':'1.2.3.4'},{'ip':'1.2.3.5'}],'ports':[{'port':80}]}]; Endpoints|Age; 1.2.3.4:80,1.2.3.5:80|AGE
                    /api/v1/nodes; 'metadata':{'labels':{'node-role.kubernetes.io/worker':''}}; Status|Roles|Age|Version|!Internal-IP|!External-IP|!OS-Image|!Kernel-Version|!Container-Runtime; Unknown|worker|AGE||<none>|<none>|<unknown>|<unknown>|<unknown>
                    /api/v1/nodes; 'spec':{'unschedulable':true}; Status|Roles|Age|Version|!Internal-IP|!External-IP|!OS-Image|!Kernel-Version|!Container-Runtime; Unknown,SchedulingDisabled|<none>|AGE||<none>|<none>|<unknown>|<unknown>|<unknown>
                    /api/v1/*/persistentvolumeclaims; 'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}},'storageClassName':'s'}; Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|!VolumeMode; Pending||||s|<unset>|AGE|Filesystem
                    /api/v1/persistentvolumes; 'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'},'storageClassName':'s'}; Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|!VolumeMode; 1Gi|RWO|Retain|Pending||s|<unset>||AGE|Filesystem
                    /apis/apps/v1/*/deployments; 'spec':{WORKLOAD}; Ready|Up-to-date|Available|Age|!Containers|!Images|!Selector; 0/1|0|0|AGE|c,d|i:1,j:1|a=b
                    /apis/apps/v1/*/replicasets; 'spec':{WORKLOAD}; Desired(integer)|Current(integer)|Ready(integer)|Age|!Containers|!Images|!Selector; 1|0|0|AGE|c,d|i:1,j:1|a=b
                    /apis/apps/v1/*/statefulsets; 'spec':{'serviceName':'s',WORKLOAD}; Ready|Age|!Containers|!Images; 0/1|AGE|c,d|i:1,j:1
                    /apis/apps/v1/*/daemonsets; 'spec':{WORKLOAD}; Desired(integer)|Current(integer)|Ready(integer)|Up-to-date(integer)|Available(integer)|Node Selector|Age|!Containers|!Images|!Selector; 0|0|0|0|0|<none>|AGE|c,d|i:1,j:1|a=b
                    /api/v1/*/replicationcontrollers; 'spec':{'template':{'metadata':{'labels':{'a':'b'}},'spec':{CONTAINERS}}}; Desired(integer)|Current(integer)|Ready(integer)|Age|!Containers|!Images|!Selector; 1|0|0|AGE|c,d|i:1,j:1|a=b
                    /api/v1/*/podtemplates; 'template':{'metadata':{'labels':{'a':'b'}},'spec':{CONTAINERS}}; Containers|Images|Pod Labels; c,d|i:1,j:1|a=b
                    /api/v1/*/resourcequotas; 'spec':{'hard':{'pods':'9'}}; Request|Limit|Age; ||AGE
                    /api/v1/*/limitranges; 'spec':{'limits':[{'type':'Pod','max':{'cpu':'1'}}]}; Created At(date); TIME
                    /apis/apps/v1/*/controllerrevisions; 'revision':2,'data':{'a':'b'}; Controller|Revision|Age; <none>|2|AGE
                    /apis/batch/v1/*/jobs; 'spec':{'template':{'spec':{'restartPolicy':'Never',CONTAINERS}}}; Status|Completions|Duration|Age|!Containers|!Images|!Selector; Running|0/1||AGE|c,d|i:1,j:1|batch.kubernetes.io/controller-uid=UID
                    /apis/batch/v1/*/jobs; 'spec':{'parallelism':2,'template':{'spec':{'restartPolicy':'Never',CONTAINERS}}}; Status|Completions|Duration|Age|!Containers|!Images|!Selector; Running|0/1 of 2||AGE|c,d|i:1,j:1|batch.kubernetes.io/controller-uid=UID
                    /apis/batch/v1/*/cronjobs; 'spec':{'schedule':'* * * * *','jobTemplate':{'spec':{'template':{'spec':{'restartPolicy':'Never',CONTAINERS}}}}}; Schedule|Timezone|Suspend(boolean)|Active(integer)|Last Schedule|Age|!Containers|!Images|!Selector; * * * * *|<none>|False|0|<none>|AGE|c,d|i:1,j:1|<none>
                    /apis/autoscaling/v2/*/horizontalpodautoscalers; 'spec':{'maxReplicas':3,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}; Reference|Targets|MinPods|MaxPods|Replicas|Age; Deployment/d|cpu: <unknown>/80%|1|3|0|AGE
                    /apis/storage.k8s.io/v1/*/csistoragecapacities; 'storageClassName':'s','capacity':'1Gi'; Created At(date); TIME
                    /apis/policy/v1/*/poddisruptionbudgets; 'spec':{'minAvailable':1,'selector':{'matchLabels':{'a':'b'}}}; Min Available|Max Unavailable|Allowed Disruptions(integer)|Age; 1|N/A|0|AGE
                    /apis/networking.k8s.io/v1/*/ingresses; 'spec':{'ingressClassName':'c','tls':[{'hosts':['h']}],'rules':[{'host':'h.example.com','http':{'paths':[{'path':'/','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]}; Class|Hosts|Address|Ports|Age; c|h.example.com||80, 443|AGE
                    /apis/networking.k8s.io/v1/*/ingresses; 'spec':{'ingressClassName':'c','rules':[{'host':'h.example.com','http':{'paths':[{'path':'/','pathType':'Prefix','backend':{'service':{'name':'s','port':{'number':80}}}}]}}]}; Class|Hosts|Address|Ports|Age; c|h.example.com||80|AGE
                    /apis/networking.k8s.io/v1/ingressclasses; 'spec':{'controller':'example.com/c'}; Controller|Parameters|Age; example.com/c|<none>|AGE
                    /apis/networking.k8s.io/v1/*/networkpolicies; 'spec':{'podSelector':{'matchLabels':{'a':'b'}}}; Pod-Selector|Age; a=b|AGE
                    /apis/discovery.k8s.io/v1/*/endpointslices; 'addressType':'IPv4','endpoints':[{'addresses':['1.2.3.4']},{'addresses':['1.2.3.5']}],'ports':[{'port':80}]; AddressType|Ports|Endpoints|Age; IPv4|80|1.2.3.4,1.2.3.5|AGE
                    /apis/storage.k8s.io/v1/storageclasses; 'provisioner':'example.com/p'; Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age; example.com/p|Delete|Immediate|false|AGE
                    /apis/storage.k8s.io/v1/csidrivers; 'spec':{}; AttachRequired(boolean)|PodInfoOnMount(boolean)|StorageCapacity(boolean)|TokenRequests|RequiresRepublish(boolean)|Modes|Age; true|false|false|<unset>|false|Persistent|AGE
                    /apis/storage.k8s.io/v1/csinodes; 'spec':{'drivers':[]}; Drivers(integer)|Age; 0|AGE
                    /apis/storage.k8s.io/v1/volumeattachments; 'spec':{'attacher':'a.com','nodeName':'n','source':{'persistentVolumeName':'pv'}}; Attacher|PV|Node|Attached(boolean)|Age; a.com|pv|n|false|AGE
                    /apis/scheduling.k8s.io/v1/priorityclasses; 'value':7; Value(integer)|Global-Default(boolean)|Age|PreemptionPolicy; 7|false|AGE|PreemptLowerPriority
                    /apis/node.k8s.io/v1/runtimeclasses; 'handler':'h'; Handler|Age; h|AGE
                    /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations; 'webhooks':[]; Webhooks(integer)|Age; 0|AGE
                    /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations; 'webhooks':[]; Webhooks(integer)|Age; 0|AGE
                    /apis/coordination.k8s.io/v1/*/leases; 'spec':{'holderIdentity':'me'}; Holder|Age; me|AGE
                    /apis/rbac.authorization.k8s.io/v1/*/roles; 'rules':[]; Created At(date); TIME
                    /apis/rbac.authorization.k8s.io/v1/*/rolebindings; 'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'u','apiGroup':'rbac.authorization.k8s.io'},{'kind':'ServiceAccount','name':'sa','namespace':'n'},{'kind':'Group','name':'g','apiGroup':'rbac.authorization.k8s.io'}]; Role|Age|!Users|!Groups|!ServiceAccounts; Role/r|AGE|u|g|n/sa
                    /apis/rbac.authorization.k8s.io/v1/clusterroles; 'rules':[]; Created At(date); TIME
                    /apis/rbac.authorization.k8s.io/v1/clusterrolebindings; 'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'r'},'subjects':[{'kind':'User','name':'u','apiGroup':'rbac.authorization.k8s.io'}]; Role|Age|!Users|!Groups|!ServiceAccounts; ClusterRole/r|AGE|u||
                    """)
    void printsABuiltInKind(String path, String fields, String columns, String cells) {
        String all = path.replace("*", "namespaces/" + namespace);
        String name = "x-" + namespace;
        ObjectNode object = json("{" + fields.replace("WORKLOAD", WORKLOAD).replace("CONTAINERS", CONTAINERS) + "}");
        object.withObject("/metadata").put("name", name);
        api.create(all, object).ok();
        Reply table = api.get(all + "/" + name, TABLE).ok();
        List<String> titles = new ArrayList<>();
        table.node("/columnDefinitions").forEach(column -> {
            String type = column.path("type").asText();
            titles.add((column.path("priority").asInt() > 0 ? "!" : "")
                    + column.path("name").asText()
                    + (type.equals("string") ? "" : "(" + type + ")"));
        });
        assertThat(String.join("|", titles)).isEqualTo("Name|" + columns);
        List<String> texts = new ArrayList<>();
        table.node("/rows/0/cells")
                .forEach(cell -> texts.add(cell.asText()
                        .replaceAll("^\\d+s$", "AGE")
                        .replaceAll("^20..-..-..T..:..:..Z$", "TIME")
                        .replaceAll("[-0-9a-f]{36}", "UID")));
        assertThat(String.join("|", texts)).isEqualTo(name + "|" + cells);
    }
}

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
                    /api/v1/*/persistentvolumeclaims; 'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}},'storageClassName':'s'}; Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|!VolumeMode; Pending||||s|<unset>|AGE|Filesystem
                    /api/v1/persistentvolumes; 'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'},'storageClassName':'s'}; Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|!VolumeMode; 1Gi|RWO|Retain|Pending||s|<unset>||AGE|Filesystem
                    /apis/apps/v1/*/deployments; 'spec':{WORKLOAD}; Ready|Up-to-date|Available|Age|!Containers|!Images|!Selector; 0/1|0|0|AGE|c,d|i:1,j:1|a=b
                    /apis/apps/v1/*/replicasets; 'spec':{WORKLOAD}; Desired(integer)|Current(integer)|Ready(integer)|Age|!Containers|!Images|!Selector; 1|0|0|AGE|c,d|i:1,j:1|a=b
                    /apis/apps/v1/*/statefulsets; 'spec':{'serviceName':'s',WORKLOAD}; Ready|Age|!Containers|!Images; 0/1|AGE|c,d|i:1,j:1
                    /apis/apps/v1/*/daemonsets; 'spec':{WORKLOAD}; Desired(integer)|Current(integer)|Ready(integer)|Up-to-date(integer)|Available(integer)|Node Selector|Age|!Containers|!Images|!Selector; 0|0|0|0|0|<none>|AGE|c,d|i:1,j:1|a=b
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
                .forEach(cell -> texts.add(
                        cell.asText().replaceAll("^\\d+s$", "AGE").replaceAll("^20..-..-..T..:..:..Z$", "TIME")));
        assertThat(String.join("|", texts)).isEqualTo(name + "|" + cells);
    }
}

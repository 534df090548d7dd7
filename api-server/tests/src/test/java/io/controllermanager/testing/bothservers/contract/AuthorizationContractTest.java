package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What RBAC's rules let whom do. The real server learns of a new rule a moment after it was written. Users, and roles
 * outside of namespaces, are named after the case's namespace, since all cases share a server.
 */
@Execution(ExecutionMode.CONCURRENT)
class AuthorizationContractTest extends Contract {

    /** One whom nothing is granted but by the case. */
    private final String user;

    private final Api users;
    private final Rights rights;

    AuthorizationContractTest(TestedServer server) {
        super(server);
        user = "jane-" + namespace;
        users = new Api(server.clientFor(user));
        rights = new Rights(api, namespace, user);
    }

    private static boolean isAllowed(Api asking, String request) {
        String[] parts = request.split(" ", 2);
        boolean body = parts[0].equals("POST") || parts[0].equals("PUT") || parts[0].equals("PATCH");
        String type = parts[0].equals("PATCH") ? Api.MERGE_PATCH : body ? Api.JSON : "";
        return asking.send(parts[0], parts[1], Api.JSON, type, body ? "{}" : "").code() != 403;
    }

    private String path(String abbreviated) {
        return abbreviated
                .replace("CORE", "/api/v1/namespaces/" + namespace)
                .replace("APPS", "/apis/apps/v1/namespaces/" + namespace)
                .replace("NAMESPACE", namespace);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            GET    | CORE/configmaps                     | configmaps | cannot list resource "configmaps" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/configmaps?watch=true          | configmaps | cannot watch resource "configmaps" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/configmaps/a                   | configmaps "a" | cannot get resource "configmaps" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/configmaps?fieldSelector=metadata.name%3Da | configmaps "a" | cannot list resource "configmaps" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/configmaps?watch=1&fieldSelector=metadata.namespace%3Dx,metadata.name%3D%3Da | configmaps "a" | cannot watch resource "configmaps" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/configmaps?fieldSelector=metadata.name!%3Da | configmaps | cannot list resource "configmaps" in API group "" in the namespace "NAMESPACE"
            POST   | CORE/configmaps                     | configmaps | cannot create resource "configmaps" in API group "" in the namespace "NAMESPACE"
            PUT    | CORE/configmaps/a                   | configmaps "a" | cannot update resource "configmaps" in API group "" in the namespace "NAMESPACE"
            PATCH  | CORE/configmaps/a                   | configmaps "a" | cannot patch resource "configmaps" in API group "" in the namespace "NAMESPACE"
            DELETE | CORE/configmaps/a                   | configmaps "a" | cannot delete resource "configmaps" in API group "" in the namespace "NAMESPACE"
            DELETE | CORE/configmaps                     | configmaps | cannot deletecollection resource "configmaps" in API group "" in the namespace "NAMESPACE"
            PATCH  | APPS/deployments/d/status           | deployments.apps "d" | cannot patch resource "deployments/status" in API group "apps" in the namespace "NAMESPACE"
            GET    | /apis/samplecontroller.k8s.io/v1alpha1/foos | foos.samplecontroller.k8s.io | cannot list resource "foos" in API group "samplecontroller.k8s.io" at the cluster scope
            GET    | /api/v1/nodes/n                     | nodes "n"  | cannot get resource "nodes" in API group "" at the cluster scope
            GET    | /api/v1/namespaces                  | namespaces | cannot list resource "namespaces" in API group "" at the cluster scope
            GET    | /api/v1/namespaces/NAMESPACE        | namespaces "NAMESPACE" | cannot get resource "namespaces" in API group "" in the namespace "NAMESPACE"
            PUT    | /api/v1/namespaces/NAMESPACE/status | namespaces "NAMESPACE" | cannot update resource "namespaces/status" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/pods/p/log                     | pods "p"   | cannot get resource "pods/log" in API group "" in the namespace "NAMESPACE"
            GET    | CORE/nothings/n                     | nothings "n" | cannot get resource "nothings" in API group "" in the namespace "NAMESPACE"
            """)
    void refusesWhatNobodyGranted(String method, String path, String what, String why) {
        String body = method.startsWith("P") ? "{}" : "";
        String type = method.equals("PATCH") ? Api.MERGE_PATCH : body.isEmpty() ? "" : Api.JSON;
        Reply refused = users.send(method, path(path), Api.JSON, type, body).refused(403, "Forbidden");
        assertThat(refused.message()).isEqualTo(path(what) + " is forbidden: User \"" + user + "\" " + path(why));
        String[] named = path(what).replace("\"", "").split(" ", 2);
        String[] resource = named[0].split("\\.", 2);
        assertThat(refused.at("/details/kind")).isEqualTo(resource[0]);
        assertThat(refused.at("/details/group")).isEqualTo(resource.length < 2 ? "" : resource[1]);
        assertThat(refused.at("/details/name")).isEqualTo(named.length < 2 ? "" : named[1]);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /metrics, get",
        "POST, /metrics, post",
        "GET, /apis-of-mine/, get",
        "DELETE, /version, delete",
        "POST, /apis/apps/v1, post"
    })
    void refusesPathsThatNobodyGranted(String method, String path, String verb) {
        Reply refused = users.send(method, path, Api.JSON, "", "").refused(403, "Forbidden");
        assertThat(refused.message())
                .isEqualTo("forbidden: User \"" + user + "\" cannot " + verb + " path \"" + path + "\"");
        assertThat(refused.node("/details").isObject()).isTrue();
        assertThat(refused.node("/details")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"/api", "/apis", "/apis/apps/v1", "/openapi/v3", "/version", "/readyz"})
    void letsEveryUserDiscover(String path) {
        assertThat(users.get(path).code()).isEqualTo(200);
    }

    /** What else the rule allows, and what it does not. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            'apiGroups':[''],'resources':['configmaps'],'verbs':['get','list'] | GET CORE/configmaps | GET CORE/configmaps/a | GET CORE/secrets | DELETE CORE/configmaps/a
            'apiGroups':[''],'resources':['configmaps'],'verbs':['delete'] | DELETE CORE/configmaps/a | DELETE CORE/configmaps/b | DELETE CORE/configmaps | GET CORE/configmaps/a
            'apiGroups':[''],'resources':['configmaps'],'verbs':['*'] | GET CORE/configmaps | DELETE CORE/configmaps | GET CORE/configmaps/a/status | GET CORE/secrets
            'apiGroups':[''],'resources':['*'],'verbs':['get'] | GET CORE/configmaps/a | GET CORE/pods/p/status | GET APPS/deployments/d | GET CORE/secrets
            'apiGroups':['*'],'resources':['deployments'],'verbs':['get'] | GET APPS/deployments/d | GET CORE/deployments/d | GET APPS/deployments/d/scale | GET APPS/replicasets/r
            'apiGroups':['apps'],'resources':['deployments/scale'],'verbs':['get'] | GET APPS/deployments/d/scale | GET APPS/deployments/e/scale | GET APPS/deployments/d | GET APPS/deployments/d/status
            'apiGroups':['apps'],'resources':['*/scale'],'verbs':['get'] | GET APPS/deployments/d/scale | GET APPS/replicasets/d/scale | GET APPS/deployments/d | GET APPS/deployments/d/status
            'apiGroups':[''],'resources':['configmaps'],'verbs':['get','list'],'resourceNames':['a'] | GET CORE/configmaps/a | GET CORE/configmaps?fieldSelector=metadata.name=a | GET CORE/configmaps/b | GET CORE/configmaps
            """)
    void allowsWhatARuleSays(String rule, String first, String second, String refused, String alsoRefused) {
        rights.grant(rule);
        eventually(() -> assertThat(isAllowed(users, path(first))).isTrue());
        assertThat(isAllowed(users, path(second))).isTrue();
        assertThat(isAllowed(users, path(refused))).isFalse();
        assertThat(isAllowed(users, path(alsoRefused))).isFalse();
    }

    @Test
    void allowsInTheNamespaceOfTheRoleBindingOnly() {
        String clusterRole = "reader-" + namespace;
        String rule = "'apiGroups':[''],'resources':['configmaps','namespaces'],'verbs':['get','list']";
        api.create(Rights.CLUSTER_ROLES, Rights.role("ClusterRole", clusterRole, rule))
                .ok();
        rights.bind("reader", "ClusterRole", clusterRole);

        eventually(() -> assertThat(isAllowed(users, "GET " + configMaps())).isTrue());
        assertThat(isAllowed(users, "GET /api/v1/namespaces/" + namespace)).isTrue();
        assertThat(isAllowed(users, "GET /api/v1/namespaces/default/configmaps"))
                .isFalse();
        assertThat(isAllowed(users, "GET /api/v1/configmaps")).isFalse();
        assertThat(isAllowed(users, "GET /api/v1/namespaces")).isFalse();

        rights.bindEverywhere(clusterRole);
        eventually(() -> assertThat(isAllowed(users, "GET /api/v1/configmaps")).isTrue());
        assertThat(isAllowed(users, "GET /api/v1/namespaces/default/configmaps"))
                .isTrue();
        assertThat(isAllowed(users, "GET /api/v1/namespaces")).isTrue();
    }

    @Test
    void allowsPathsByClusterRole() {
        rights.grantEverywhere("paths-" + namespace, "'nonResourceURLs':['/nothing/*'],'verbs':['get']");
        eventually(() -> assertThat(users.get("/nothing/there").code()).isEqualTo(404));
        assertThat(users.get("/nothing").code()).isEqualTo(403);
        assertThat(users.send("POST", "/nothing/there", Api.JSON, "", "").code())
                .isEqualTo(403);
    }

    @Test
    void allowsGroupsAndServiceAccounts() {
        api.create(
                        rights.roles(),
                        Rights.role("Role", "reader", "'apiGroups':[''],'resources':['configmaps'],'verbs':['get']"))
                .ok();
        api.create(rights.roleBindings(), Rights.binding("RoleBinding", "reader", "Role", "reader", """
                                'kind':'Group','apiGroup':'rbac.authorization.k8s.io','name':'group-%1$s'},
                                {'kind':'ServiceAccount','namespace':'%1$s','name':'robot'""".formatted(
                                namespace)))
                .ok();
        Api member = new Api(server.clientFor("john", "others", "group-" + namespace));
        Api robot = new Api(server.clientFor("system:serviceaccount:" + namespace + ":robot"));
        Api otherRobot = new Api(server.clientFor("system:serviceaccount:default:robot"));
        eventually(() -> assertThat(isAllowed(member, "GET " + configMap("a"))).isTrue());
        eventually(() -> assertThat(isAllowed(robot, "GET " + configMap("a"))).isTrue());
        assertThat(isAllowed(otherRobot, "GET " + configMap("a"))).isFalse();
        assertThat(isAllowed(users, "GET " + configMap("a"))).isFalse();
    }

    @Test
    void takesBackWhatIsNoLongerGranted() {
        rights.grant("'apiGroups':[''],'resources':['configmaps'],'verbs':['get']");
        eventually(() -> assertThat(isAllowed(users, "GET " + configMap("a"))).isTrue());
        api.patch(
                        rights.role("granted"),
                        Api.MERGE_PATCH,
                        "{'rules':[{'apiGroups':[''],'resources':['configmaps'],'verbs':['list']}]}")
                .ok();
        eventually(() -> assertThat(isAllowed(users, "GET " + configMaps())).isTrue());
        assertThat(isAllowed(users, "GET " + configMap("a"))).isFalse();
        api.delete(rights.roleBindings() + "/granted").ok();
        eventually(() -> assertThat(isAllowed(users, "GET " + configMaps())).isFalse());
    }

    @Test
    void namesRolesThatAreNotThere() {
        rights.bind("a", "Role", "nowhere");
        eventually(() -> assertThat(users.get(configMaps()).message())
                .isEqualTo("configmaps is forbidden: User \"" + user + "\" cannot list resource \"configmaps\" in API"
                        + " group \"\" in the namespace \"" + namespace + "\": RBAC:"
                        + " role.rbac.authorization.k8s.io \"nowhere\" not found"));
        rights.bind("b", "ClusterRole", "nowhere");
        eventually(() -> assertThat(users.get(configMaps()).message())
                .contains(": RBAC: [")
                .contains("clusterrole.rbac.authorization.k8s.io \"nowhere\" not found"));
    }

    @Test
    void applyThatCreatesNeedsTheRightToCreate() {
        rights.grant("'apiGroups':[''],'resources':['configmaps'],'verbs':['patch','get']");
        String path = configMap("a") + "?fieldManager=jane";
        String applied = newConfigMap("a").toString();
        eventually(() -> assertThat(isAllowed(users, "GET " + configMap("a"))).isTrue());
        Reply refused =
                users.send("PATCH", path, Api.JSON, Api.APPLY_PATCH, applied).refused(403, "Forbidden");
        assertThat(refused.message())
                .isEqualTo("configmaps \"a\" is forbidden: User \"" + user + "\" cannot create resource \"configmaps\""
                        + " in API group \"\" in the namespace \"" + namespace + "\"");
        create("a");
        users.send("PATCH", path + "&force=true", Api.JSON, Api.APPLY_PATCH, applied)
                .ok();
    }

    @Test
    void updateThatCreatesNeedsTheRightToCreate() {
        rights.grant("'apiGroups':['coordination.k8s.io'],'resources':['leases'],'verbs':['update','get']");
        String lease = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases/l";
        eventually(() -> assertThat(isAllowed(users, "GET " + lease)).isTrue());
        Reply refused = users.put(
                        lease,
                        json(
                                "{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'l'},'spec':{}}"))
                .refused(403, "Forbidden");
        assertThat(refused.message())
                .startsWith("leases.coordination.k8s.io \"l\" is forbidden: User \"" + user
                        + "\" cannot create resource \"leases\" in API group \"coordination.k8s.io\"");
    }

    @Test
    void impersonates() {
        rights.grant("'apiGroups':[''],'resources':['configmaps'],'verbs':['get']");
        Api asUser = api.with("Impersonate-User", user);
        eventually(() -> assertThat(isAllowed(asUser, "GET " + configMap("a"))).isTrue());
        assertThat(asUser.get(configMaps()).refused(403, "Forbidden").message())
                .startsWith("configmaps is forbidden: User \"" + user + "\" cannot list");
        assertThat(isAllowed(
                        api.with(
                                "Impersonate-User",
                                "x",
                                "Impersonate-Group",
                                "y",
                                "Impersonate-Group",
                                "system:masters"),
                        "GET " + configMaps()))
                .isTrue();
        assertThat(isAllowed(api.with("Impersonate-User", "x", "Impersonate-Group", "y"), "GET " + configMaps()))
                .isFalse();
        assertThat(api.with("Impersonate-Group", "y").get(configMaps()).code()).isEqualTo(400);
    }

    @Test
    void impersonatesServiceAccountsWithTheirGroups() {
        api.create(
                        rights.roles(),
                        Rights.role("Role", "reader", "'apiGroups':[''],'resources':['configmaps'],'verbs':['get']"))
                .ok();
        api.create(
                        rights.roleBindings(),
                        Rights.binding(
                                "RoleBinding",
                                "reader",
                                "Role",
                                "reader",
                                "'kind':'Group','apiGroup':'rbac.authorization.k8s.io','name':'system:serviceaccounts:"
                                        + namespace + "'"))
                .ok();
        Api robot = api.with("Impersonate-User", "system:serviceaccount:" + namespace + ":robot");
        eventually(() -> assertThat(isAllowed(robot, "GET " + configMap("a"))).isTrue());
        assertThat(isAllowed(
                        api.with("Impersonate-User", "system:serviceaccount:default:robot"), "GET " + configMap("a")))
                .isFalse();
    }

    @Test
    void impersonationNeedsTheRightToIt() {
        Api asAnother = users.with("Impersonate-User", "john");
        assertThat(asAnother.get(configMaps()).refused(403, "Forbidden").message())
                .isEqualTo("configmaps is forbidden: User \"" + user
                        + "\" cannot impersonate-on:user-info:list resource \"configmaps\" in API group \"\""
                        + " in the namespace \"" + namespace + "\"");
        Api asRobot = users.with("Impersonate-User", "system:serviceaccount:default:robot");
        assertThat(asRobot.get(configMaps()).refused(403, "Forbidden").message())
                .contains("cannot impersonate-on:serviceaccount:list resource \"configmaps\"");
        Api asRobotOfAGroup =
                users.with("Impersonate-User", "system:serviceaccount:default:robot", "Impersonate-Group", "g");
        assertThat(asRobotOfAGroup.get(configMaps()).refused(403, "Forbidden").message())
                .isEqualTo("serviceaccounts \"robot\" is forbidden: User \"" + user
                        + "\" cannot impersonate resource \"serviceaccounts\" in API group \"\""
                        + " in the namespace \"default\"");

        rights.grantEverywhere(
                "impersonator-" + namespace,
                "'apiGroups':[''],'resources':['users'],'verbs':['impersonate'],'resourceNames':['john']");
        eventually(() -> assertThat(
                        asAnother.get(configMaps()).refused(403, "Forbidden").message())
                .startsWith("configmaps is forbidden: User \"john\" cannot list"));
        assertThat(users.with("Impersonate-User", "jack")
                        .get(configMaps())
                        .refused(403, "Forbidden")
                        .message())
                .contains(": User \"" + user + "\" cannot impersonate");
        assertThat(users.with("Impersonate-User", "john", "Impersonate-Group", "system:masters")
                        .get(configMaps())
                        .code())
                .isEqualTo(403);
    }

    @Test
    void knowsNobodyWithoutCredentials() {
        Api anonymous = withoutCredentials();
        assertThat(anonymous.get("/version").code()).isEqualTo(200);
        assertThat(anonymous.get("/readyz").code()).isEqualTo(200);
        assertThat(anonymous.get("/api").refused(403, "Forbidden").message())
                .isEqualTo("forbidden: User \"system:anonymous\" cannot get path \"/api\"");
        assertThat(anonymous.get(configMaps()).refused(403, "Forbidden").message())
                .startsWith("configmaps is forbidden: User \"system:anonymous\" cannot list");
    }

    @Test
    void refusesATokenThatNobodyIssued() {
        Api stranger = withoutCredentials().with("Authorization", "Bearer nobody-issued-this");
        assertThat(stranger.get(configMaps()).refused(401, "Unauthorized").message())
                .isEqualTo("Unauthorized");
        stranger.get("/version").refused(401, "Unauthorized");
    }

    /** What the server's kubeconfig leads to, without its user's credentials. */
    private Api withoutCredentials() {
        String kubeconfig = server.kubeconfig().replaceFirst("(?s)\n  user:.*", "\n  user: {}\n");
        try {
            return new Api(ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                    .build());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How paths, parameters and bodies are read, whatever the request is about. */
class RequestContractTest extends Contract {

    RequestContractTest(TestedServer server) {
        super(server);
    }

    @ParameterizedTest
    @CsvSource({
        "?watch, true",
        "?watch=, true",
        "?watch=true, true",
        "?watch=yes, true",
        "?watch=f, true",
        "?watch=0, false",
        "?watch=FALSE, false",
        "?watch=false&watch=true, false",
        "?limit=5, false"
    })
    void takesAParameterForTrueUnlessItSaysOtherwise(String query, boolean watches) {
        create("a");
        if (watches) {
            try (Watching watch = api.watch(configMaps() + query + "&fieldSelector=metadata.name=a")) {
                watch.next("ADDED", "a");
            }
        } else {
            assertThat(api.get(configMaps() + query).ok().at("/kind")).isEqualTo("ConfigMapList");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "?force=false, false",
        "?force=, true",
        "?force=t, true",
        "?force=yes, true",
    })
    void forcesWhereNothingElseIsSaid(String query, boolean forces) {
        String object = "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'data':{'key':'%s'}}";
        String path = configMap("a") + query + "&fieldManager=";
        api.patch(path + "one", Api.APPLY_PATCH, object.formatted("1")).ok();
        Reply other = api.patch(path + "other", Api.APPLY_PATCH, object.formatted("2"));
        assertThat(other.code()).isEqualTo(forces ? 200 : 409);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {"?dryRun=x, ['x']", "?dryRun=All&dryRun=x, \"['All','x']\"", "?dryRun=, ['']"})
    void knowsOneKindOfDryRun(String query, String shown) {
        String message = "dryRun: Unsupported value: " + shown.replace('\'', '"') + ": supported values: \"All\"";
        assertThat(api.create(configMaps() + query, newConfigMap("a"))
                        .refused(422, "Invalid")
                        .message())
                .contains("CreateOptions", message);
        create("a");
        assertThat(api.delete(configMap("a") + query).refused(422, "Invalid").message())
                .contains("DeleteOptions", message);
    }

    @Test
    void watchesByAPathOfItsOwn() {
        create("a");
        create("b");
        String collection = "/namespaces/" + namespace + "/configmaps";
        try (Watching watch = api.watch(
                "/api/v1/watch" + collection + "?fieldSelector=metadata.name!=b,metadata.name!=kube-root-ca.crt")) {
            watch.next("ADDED", "a");
        }
        try (Watching watch = api.watch("/api/v1/watch" + collection + "/b")) {
            watch.next("ADDED", "b");
        }
        try (Watching watch = api.watch("/api/v1/watch/namespaces/" + namespace)) {
            watch.next("ADDED", namespace);
        }
        assertThat(api.create("/api/v1/watch" + collection, newConfigMap("c")).code())
                .isEqualTo(405);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deployments/d/status/status", "deployments/d/scale/x", "deployments/d/status/x/y"})
    void leadsNowhereByAPathThatIsTooLong(String path) {
        api.create(deployments(), newDeployment("d")).ok();
        assertThat(api.get(deployments().replace("deployments", path)).code()).isEqualTo(404);
    }

    @Test
    void endsJsonWithTheObject() {
        String object = newConfigMap("a").toString();
        api.send("POST", configMaps(), Api.JSON, Api.JSON, object + " more").refused(400, "BadRequest");
        api.send("POST", configMaps(), Api.JSON, Api.JSON, object + object).refused(400, "BadRequest");
        api.send("POST", configMaps(), Api.JSON, Api.JSON, object + " \n").ok();
    }

    private Reply send(String method, String path, String type, String name, String yaml) {
        String object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n" + yaml;
        return api.send(method, path, Api.JSON, type, object);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "data: {a: &x text, b: *x}                                    | {'a':'text','b':'text'}",
                "data: {<<: {a: '1', b: '2'}, b: '3'}                         | {'a':'1','b':'3'}",
                "data: {a: 1:30, b: 2026-01-01, c: yEs}                       | {'a':'1:30','b':'2026-01-01','c':'yEs'}",
                "data: {a: 'yes', b: '5', yes: on the way}                    | {'a':'yes','b':'5','true':'on the way'}",
                "data: {a: yes}                                               |",
                "data: {a: Off}                                               |",
                "data: {a: 0x1f}                                              |",
                "data: {a: 1_000}                                             |",
                "data: {a: *none}                                             |",
            })
    void readsYamlAsKubernetesDoes(String yaml, String data) {
        Reply created = send("POST", configMaps(), "application/yaml", "a", yaml);
        Reply applied = send("PATCH", configMap("b") + "?fieldManager=m", Api.APPLY_PATCH, "b", yaml);
        if (data == null) {
            created.refused(400, "BadRequest");
            assertThat(applied.code()).isGreaterThanOrEqualTo(400);
        } else {
            assertThat(created.ok().node("/data")).isEqualTo(json(data));
            assertThat(applied.ok().node("/data")).isEqualTo(created.node("/data"));
        }
    }

    @Test
    void readsNoMoreOfYamlThanTheFirstDocument() {
        Reply created = send("POST", configMaps(), "application/yaml", "a", "---\nkind: Nothing\n");
        assertThat(created.ok().at("/metadata/name")).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "APPLY"})
    void takesANamespaceOffWhatIsInNone(String verb) {
        String roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
        String name = namespace + "-" + verb.toLowerCase(Locale.ROOT);
        ObjectNode role = json(
                "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'ClusterRole','metadata':{'name':'%s','namespace':'x'}}",
                name);
        Reply written = switch (verb) {
            case "POST" -> api.create(roles, role);
            case "PUT" -> api.put(roles + "/" + name, role);
            case "APPLY" -> api.patch(roles + "/" + name + "?fieldManager=m", Api.APPLY_PATCH, role.toString());
            default -> {
                api.create(roles, json("{'metadata':{'name':'%s'}}", name)).ok();
                yield api.patch(
                        roles + "/" + name, Api.MERGE_PATCH, "{'metadata':{'namespace':'x','labels':{'a':'b'}}}");
            }
        };
        assertThat(written.ok().node("/metadata").has("namespace")).isFalse();
        api.delete(roles + "/" + name).ok();
    }

    @Test
    void appliesToWhatIsThereWithoutItsName() {
        create("a");
        String nameless = "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'labels':{'a':'b'}}}";
        Reply applied = api.patch(configMap("a") + "?fieldManager=m", Api.APPLY_PATCH, nameless)
                .ok();
        assertThat(applied.at("/metadata/labels/a")).isEqualTo("b");
        api.patch(configMap("b") + "?fieldManager=m", Api.APPLY_PATCH, nameless).refused(400, "BadRequest");
    }
}

package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DiscoveryContractTest extends Contract {

    DiscoveryContractTest(TestedServer server) {
        super(server);
    }

    @Test
    void namesTheCoreVersion() {
        assertThat(api.get("/api").at("/versions/0")).isEqualTo("v1");
        assertThat(api.get("/api").at("/kind")).isEqualTo("APIVersions");
    }

    @Test
    void listsGroups() {
        Reply groups = api.get("/apis").ok();
        assertThat(groups.at("/kind")).isEqualTo("APIGroupList");
        assertThat(groups.node("/groups").findValuesAsText("name"))
                .contains(
                        "apps",
                        "coordination.k8s.io",
                        "events.k8s.io",
                        "rbac.authorization.k8s.io",
                        "apiextensions.k8s.io");
    }

    @Test
    void describesAGroup() {
        Reply group = api.get("/apis/apps").ok();
        assertThat(group.at("/kind")).isEqualTo("APIGroup");
        assertThat(group.at("/preferredVersion/groupVersion")).isEqualTo("apps/v1");
    }

    @Test
    void listsResourcesWithTheirVerbsAndShortNames() {
        JsonNode configMaps = resource(api.get("/api/v1").ok(), "configmaps");
        assertThat(configMaps.path("kind").asText()).isEqualTo("ConfigMap");
        assertThat(configMaps.path("singularName").asText()).isEqualTo("configmap");
        assertThat(configMaps.path("namespaced").asBoolean()).isTrue();
        assertThat(configMaps.path("shortNames").path(0).asText()).isEqualTo("cm");
        assertThat(configMaps.path("verbs"))
                .extracting(JsonNode::asText)
                .contains("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
        assertThat(resource(api.get("/api/v1").ok(), "namespaces").path("verbs"))
                .extracting(JsonNode::asText)
                .contains("delete", "list")
                .doesNotContain("deletecollection");
    }

    @Test
    void listsSubresources() {
        Reply resources = api.get("/apis/apps/v1").ok();
        assertThat(resource(resources, "deployments/status").path("kind").asText())
                .isEqualTo("Deployment");
        assertThat(resource(resources, "deployments/scale").path("kind").asText())
                .isEqualTo("Scale");
        assertThat(resource(resources, "deployments/scale").path("group").asText())
                .isEqualTo("autoscaling");
    }

    @Test
    void listsWhatCanOnlyBeCreated() {
        JsonNode token = resource(api.get("/api/v1").ok(), "serviceaccounts/token");
        assertThat(token)
                .isEqualTo(json("{'name':'serviceaccounts/token','singularName':'','namespaced':true,"
                        + "'group':'authentication.k8s.io','version':'v1','kind':'TokenRequest','verbs':['create']}"));
        JsonNode review = resource(api.get("/apis/authorization.k8s.io/v1").ok(), "localsubjectaccessreviews");
        assertThat(review.path("verbs")).extracting(JsonNode::asText).containsExactly("create");
        Reply aggregated = api.get("/api", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        JsonNode accounts = item(aggregated.node("/items/0/versions/0/resources"), "/resource", "serviceaccounts");
        assertThat(accounts.path("subresources"))
                .containsExactly(json("{'subresource':'token','responseKind':{'group':'authentication.k8s.io',"
                        + "'version':'v1','kind':'TokenRequest'},'verbs':['create']}"));
    }

    private static JsonNode resource(Reply list, String name) {
        for (JsonNode resource : list.node("/resources")) {
            if (resource.path("name").asText().equals(name)) {
                return resource;
            }
        }
        throw new AssertionError("no " + name + " in " + list.body());
    }

    @Test
    void aggregatesDiscoveryOnRequest() {
        Reply groups = api.get(
                        "/apis",
                        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")
                .ok();
        assertThat(groups.at("/kind")).isEqualTo("APIGroupDiscoveryList");
        assertThat(groups.headers().get("Content-Type")).contains("as=APIGroupDiscoveryList");
        assertThat(groups.node("/items").findValuesAsText("name")).contains("apps");
        Reply core = api.get("/api", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
                .ok();
        assertThat(core.node("/items/0/versions/0/resources").findValuesAsText("resource"))
                .contains("configmaps", "pods");
    }

    @Test
    void prefersVersionsByTheirNamesOverAllDefinitionsOfAGroup() {
        String group = namespace + ".example.com";
        String definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        String version = "{'name':'%s','served':true,'storage':%s,'schema':{'openAPIV3Schema':{'type':'object'}}}";
        List<List<String>> versions = List.of(
                List.of("v1", "v2beta3", "foo", "v2beta12", "v1alpha1"), List.of("v2", "bar", "v1", "v1beta1", "v10"));
        for (List<String> names : versions) {
            String kind = "Kind" + names.get(0);
            api.create(
                            definitions,
                            json(
                                    "{'metadata':{'name':'%2$ss.%1$s'},'spec':{'group':'%1$s','scope':'Cluster',"
                                            + "'names':{'plural':'%2$ss','kind':'%3$s'},'versions':[%4$s]}}",
                                    group,
                                    kind.toLowerCase(Locale.ROOT),
                                    kind,
                                    names.stream()
                                            .map(name -> version.formatted(name, name.equals(names.get(0))))
                                            .collect(Collectors.joining(","))))
                    .ok();
        }
        List<String> preferred = List.of("v10", "v2", "v1", "v2beta12", "v2beta3", "v1beta1", "v1alpha1", "bar", "foo");
        eventually(() -> {
            Reply one = api.get("/apis/" + group).ok();
            assertThat(one.node("/versions").findValuesAsText("version")).isEqualTo(preferred);
            assertThat(one.at("/preferredVersion/version")).isEqualTo("v10");
        });
        eventually(() -> assertThat(item(api.get("/apis").ok().node("/groups"), "/name", group)
                        .path("versions")
                        .findValuesAsText("version"))
                .isEqualTo(preferred));
        String aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        eventually(() -> assertThat(item(api.get("/apis", aggregated).ok().node("/items"), "/metadata/name", group)
                        .path("versions"))
                .extracting(one -> one.path("version").asText())
                .containsExactlyElementsOf(preferred));
        for (String path : List.of("kindv1s.", "kindv2s.")) {
            api.delete(definitions + "/" + path + group).ok();
        }
    }

    private static JsonNode item(JsonNode list, String pointer, String text) {
        for (JsonNode item : list) {
            if (item.at(pointer).asText().equals(text)) {
                return item;
            }
        }
        throw new AssertionError("no " + text + " in " + list);
    }

    @Test
    void listsItsOwnGroupsByTheirRanks() {
        List<String> ranked = List.of(
                "apps", "events.k8s.io", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "coordination.k8s.io");
        String aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        for (JsonNode groups : List.of(
                api.get("/apis").ok().node("/groups"),
                api.get("/apis", aggregated).ok().node("/items"))) {
            assertThat(groups)
                    .extracting(group -> group.has("name") ? group.path("name") : group.at("/metadata/name"))
                    .extracting(JsonNode::asText)
                    .filteredOn(ranked::contains)
                    .containsExactlyElementsOf(ranked);
        }
    }

    @Test
    void tellsItsVersion() {
        Reply version = api.get("/version").ok();
        assertThat(version.at("/major")).isEqualTo("1");
        assertThat(version.at("/gitVersion")).startsWith("v1.");
    }

    @Test
    void isReady() {
        assertThat(api.get("/readyz").code()).isEqualTo(200);
        assertThat(api.get("/livez").code()).isEqualTo(200);
    }

    @Test
    void knowsNoUnknownResource() {
        api.get("/api/v1/namespaces/" + namespace + "/nothings").refused(404, "NotFound");
        for (Reply refused : new Reply[] {
            api.get(configMap("a") + "/status").refused(404, "NotFound"),
            api.delete("/api/v1/configmaps").refused(405, "MethodNotAllowed")
        }) {
            assertThat(refused.node("/details").isObject()).isTrue();
        }
    }

    @Test
    void knowsNoUnknownGroup() {
        assertThat(api.get("/apis/nothing.example.com/v1/things").code()).isEqualTo(404);
        assertThat(api.get("/apis/nothing.example.com/v1").code()).isEqualTo(404);
    }

    @Test
    void indexesOpenApiByGroupAndVersion() {
        Reply index = api.get("/openapi/v3").ok();
        String url = index.node("/paths")
                .path("apis/apps/v1")
                .path("serverRelativeURL")
                .asText();
        assertThat(url).startsWith("/openapi/v3/apis/apps/v1");
        JsonNode schemas = api.get(url).ok().node("/components/schemas");
        assertThat(schemas.findParents("x-kubernetes-group-version-kind"))
                .anySatisfy(schema -> assertThat(
                                schema.path("x-kubernetes-group-version-kind").toString())
                        .contains("\"Deployment\""));
    }
}

package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** The documents by which clients learn what there is: the old ones, one for each version, and the aggregated one. */
public record Discovery(Registry registry) {

    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    private static final List<String> SUBRESOURCE_VERBS = List.of("get", "patch", "update");

    /** {@code /api}. */
    public ObjectNode coreVersions(String address) {
        ObjectNode versions = Json.object().put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        ObjectNode all = versions.putArray("serverAddressByClientCIDRs").addObject();
        all.put("clientCIDR", "0.0.0.0/0").put("serverAddress", address);
        return versions;
    }

    /** {@code /apis}. */
    public ObjectNode groups() {
        ObjectNode list = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = list.putArray("groups");
        // An APIService is called v1.example.com, and by these names groups of one rank are sorted.
        sorted(group -> registry.versions(group).stream()
                        .map(version -> version + "." + group)
                        .min(Comparator.naturalOrder())
                        .orElse(group))
                .forEach(group -> groups.add(describe(group)));
        return list;
    }

    /** All groups but the core's: those with a rank, and then those of CRDs by what they are called. */
    private List<String> sorted(Function<String, String> name) {
        List<String> ranked = BuiltIns.all().groups();
        Comparator<String> byRank =
                Comparator.comparingInt(group -> ranked.contains(group) ? ranked.indexOf(group) : ranked.size());
        return registry.groups().stream().sorted(byRank.thenComparing(name)).toList();
    }

    /** {@code /apis/GROUP}. */
    public ObjectNode group(String group) {
        if (!registry.groups().contains(group)) {
            throw StatusException.noSuchResource();
        }
        return Json.object().put("kind", "APIGroup").put("apiVersion", "v1").setAll(describe(group));
    }

    private ObjectNode describe(String group) {
        ObjectNode described = Json.object().put("name", group);
        ArrayNode versions = described.putArray("versions");
        registry.versions(group)
                .forEach(version -> versions.addObject()
                        .put("groupVersion", ResourceType.apiVersion(group, version))
                        .put("version", version));
        described.set("preferredVersion", versions.get(0));
        return described;
    }

    /** {@code /api/v1} and {@code /apis/GROUP/VERSION}. */
    public ObjectNode resources(String group, String version) {
        List<ResourceType> types = registry.types(group, version);
        if (types.isEmpty()) {
            throw StatusException.noSuchResource();
        }
        ObjectNode list = Json.object().put("kind", "APIResourceList").put("apiVersion", "v1");
        list.put("groupVersion", ResourceType.apiVersion(group, version));
        ArrayNode resources = list.putArray("resources");
        for (ResourceType type : types) {
            ObjectNode resource = resource(resources, type.plural(), type.singular(), type);
            Json.setTexts(resource, "verbs", verbs(type, ""));
            Json.setTexts(resource, "shortNames", type.shortNames());
            Json.setTexts(resource, "categories", type.categories());
            for (String name : type.subresources()) {
                ResourceType shown = BuiltIns.all().shown(type, name);
                ObjectNode subresource = resource(resources, type.plural() + "/" + name, "", type);
                if (!shown.equals(type)) {
                    subresource.setAll(OpenApi.gvk(shown));
                    if (shown.apiVersion().equals(type.apiVersion())) {
                        subresource.remove(List.of("group", "version"));
                    }
                }
                Json.setTexts(subresource, "verbs", verbs(shown, name));
            }
        }
        return list;
    }

    private static ObjectNode resource(ArrayNode list, String name, String singular, ResourceType type) {
        ObjectNode resource = list.addObject().put("name", name).put("singularName", singular);
        return resource.put("namespaced", type.namespaced()).put("kind", type.kind());
    }

    private static List<String> verbs(ResourceType type, String subresource) {
        if (type.review()) {
            return List.of("create");
        }
        if (subresource.equals("log")) {
            return List.of("get");
        }
        List<String> verbs = subresource.isEmpty() ? VERBS : SUBRESOURCE_VERBS;
        return verbs.stream()
                .filter(verb -> type.deletesCollections() || !verb.equals("deletecollection"))
                .toList();
    }

    /** {@code /api}, the core, or {@code /apis} as one document (KEP-3352). */
    public ObjectNode aggregated(boolean core) {
        ObjectNode list =
                Json.object().put("kind", "APIGroupDiscoveryList").put("apiVersion", "apidiscovery.k8s.io/v2");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        List<String> groups = core ? List.of("") : sorted(Function.identity());
        for (String group : groups) {
            ObjectNode item = items.addObject();
            Json.setText(item.putObject("metadata"), "name", group);
            ArrayNode versions = item.putArray("versions");
            for (String version : registry.versions(group)) {
                ObjectNode described =
                        versions.addObject().put("version", version).put("freshness", "Current");
                ArrayNode resources = described.putArray("resources");
                registry.types(group, version).forEach(type -> resources.add(aggregated(type)));
            }
        }
        return list;
    }

    private ObjectNode aggregated(ResourceType type) {
        ObjectNode resource = Json.object().put("resource", type.plural());
        resource.set("responseKind", OpenApi.gvk(type));
        resource.put("scope", type.namespaced() ? "Namespaced" : "Cluster").put("singularResource", type.singular());
        Json.setTexts(resource, "verbs", verbs(type, ""));
        Json.setTexts(resource, "shortNames", type.shortNames());
        Json.setTexts(resource, "categories", type.categories());
        for (String name : type.subresources()) {
            ObjectNode subresource =
                    resource.withArray("subresources").addObject().put("subresource", name);
            ResourceType shown = BuiltIns.all().shown(type, name);
            subresource.set("responseKind", OpenApi.gvk(shown));
            Json.setTexts(subresource, "verbs", verbs(shown, name));
        }
        return resource;
    }
}

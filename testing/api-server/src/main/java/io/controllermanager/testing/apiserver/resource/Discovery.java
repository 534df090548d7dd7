package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** The documents by which clients learn what there is: the old ones, one for each version, and the aggregated one. */
public final class Discovery {

    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    private static final List<String> SUBRESOURCE_VERBS = List.of("get", "patch", "update");

    /** The real server's own groups in the order of their ranks (cmd/kube-apiserver/app/aggregator.go). */
    private static final List<String> RANKED = List.of(
            "apps",
            "events.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "networking.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "storage.k8s.io",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "scheduling.k8s.io",
            "coordination.k8s.io",
            "node.k8s.io",
            "discovery.k8s.io",
            "resource.k8s.io",
            "flowcontrol.apiserver.k8s.io");

    private final Registry registry;

    public Discovery(Registry registry) {
        this.registry = registry;
    }

    /** {@code /api}. */
    public ObjectNode coreVersions(String address) {
        ObjectNode versions = Json.object().put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        versions.putArray("serverAddressByClientCIDRs")
                .addObject()
                .put("clientCIDR", "0.0.0.0/0")
                .put("serverAddress", address);
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
        Comparator<String> byRank =
                Comparator.comparingInt(group -> RANKED.contains(group) ? RANKED.indexOf(group) : RANKED.size());
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
        ObjectNode list = Json.object()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", ResourceType.apiVersion(group, version));
        ArrayNode resources = list.putArray("resources");
        for (ResourceType type : types) {
            ObjectNode resource = resources
                    .addObject()
                    .put("name", type.plural())
                    .put("singularName", type.singular())
                    .put("namespaced", type.namespaced())
                    .put("kind", type.kind());
            strings(resource, "verbs", verbs(type));
            strings(resource, "shortNames", type.shortNames());
            strings(resource, "categories", type.categories());
            if (type.status()) {
                strings(subresource(resources, type, "status"), "verbs", SUBRESOURCE_VERBS);
            }
            if (type.scale() != null) {
                ObjectNode scale = subresource(resources, type, "scale");
                scale.put("group", "autoscaling").put("version", "v1").put("kind", "Scale");
                strings(scale, "verbs", SUBRESOURCE_VERBS);
            }
        }
        return list;
    }

    private static List<String> verbs(ResourceType type) {
        return VERBS.stream()
                .filter(verb -> type.deletesCollections() || !verb.equals("deletecollection"))
                .toList();
    }

    private static ObjectNode subresource(ArrayNode resources, ResourceType type, String name) {
        return resources
                .addObject()
                .put("name", type.plural() + "/" + name)
                .put("singularName", "")
                .put("namespaced", type.namespaced())
                .put("kind", type.kind());
    }

    /**
     * {@code /api} and {@code /apis} as one document (KEP-3352).
     *
     * @param core whether the core group is asked for, or all others
     */
    public ObjectNode aggregated(boolean core) {
        ObjectNode list = Json.object()
                .put("kind", "APIGroupDiscoveryList")
                .put("apiVersion", "apidiscovery.k8s.io/v2")
                .set("metadata", Json.object());
        ArrayNode items = list.putArray("items");
        List<String> groups = core ? List.of("") : sorted(Function.identity());
        for (String group : groups) {
            ObjectNode item = items.addObject();
            ObjectNode metadata = item.putObject("metadata");
            if (!core) {
                metadata.put("name", group);
            }
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

    private static ObjectNode aggregated(ResourceType type) {
        ObjectNode resource = Json.object().put("resource", type.plural());
        resource.set("responseKind", kind(type.group(), type.version(), type.kind()));
        resource.put("scope", type.namespaced() ? "Namespaced" : "Cluster").put("singularResource", type.singular());
        strings(resource, "verbs", verbs(type));
        strings(resource, "shortNames", type.shortNames());
        strings(resource, "categories", type.categories());
        ArrayNode subresources = Json.array();
        if (type.status()) {
            ObjectNode status = subresources.addObject().put("subresource", "status");
            status.set("responseKind", kind(type.group(), type.version(), type.kind()));
            strings(status, "verbs", SUBRESOURCE_VERBS);
        }
        if (type.scale() != null) {
            ObjectNode scale = subresources.addObject().put("subresource", "scale");
            scale.set("responseKind", kind("autoscaling", "v1", "Scale"));
            strings(scale, "verbs", SUBRESOURCE_VERBS);
        }
        if (!subresources.isEmpty()) {
            resource.set("subresources", subresources);
        }
        return resource;
    }

    private static ObjectNode kind(String group, String version, String kind) {
        return Json.object().put("group", group).put("version", version).put("kind", kind);
    }

    private static void strings(ObjectNode object, String field, List<String> values) {
        if (!values.isEmpty()) {
            values.forEach(object.putArray(field)::add);
        }
    }
}

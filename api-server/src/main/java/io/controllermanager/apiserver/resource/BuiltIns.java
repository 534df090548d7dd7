package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.KubernetesSchemas;
import io.controllermanager.apiserver.schema.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The resources that need no CRD: those of Kubernetes' own discovery, with what a table beside this class adds to them. */
public final class BuiltIns {

    private static final Scale SCALE = new Scale(".spec.replicas", ".status.replicas", "");
    private static final Set<String> SUBRESOURCES =
            Set.of("approval", "binding", "ephemeralcontainers", "eviction", "log", "scale", "status", "token");
    private static final List<String> CREATED = List.of("Created At:date=.metadata.creationTimestamp");
    private static final BuiltIns ALL = new BuiltIns();

    private final List<ResourceType> types = new ArrayList<>();
    /** What the real server has of a group that is served here, and this one has not. */
    private final Set<String> lacking = new HashSet<>();

    private final KubernetesSchemas schemas;
    private final ResourceType deleteOptions;
    /** By the names of subresources. */
    private final Map<String, ResourceType> shown;

    private BuiltIns() {
        JsonNode table = Json.resource(BuiltIns.class, "builtin-resources.yaml");
        schemas = new KubernetesSchemas(table);
        Json.resource(BuiltIns.class, "kubernetes-resources.json").forEach(row -> add(row, table.path("resources")));
        deleteOptions = type(table.path("delete"), List.of(), "", table.path("delete"));
        shown = new HashMap<>();
        table.path("shown").properties().forEach(entry -> {
            JsonNode row = entry.getValue();
            String plural =
                    row.path("plural").asText() + "." + row.path("group").asText();
            shown.put(entry.getKey(), type(row, List.of(), plural, row));
        });
    }

    /** They are the same for all servers. */
    public static BuiltIns all() {
        return ALL;
    }

    public List<ResourceType> types() {
        return List.copyOf(types);
    }

    /** The type of what a subresource takes and shows; that of the whole object, where its name is empty. */
    public ResourceType shown(ResourceType type, String subresource) {
        return shown.getOrDefault(subresource, type);
    }

    /** In the order that they have in discovery. */
    List<String> groups() {
        return types.stream().map(ResourceType::group).distinct().toList();
    }

    /** Of metadata, whatever it belongs to. */
    public Schema metadata() {
        return schemas.of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    }

    /** What a deletion may come with. */
    public ResourceType deleteOptions() {
        return deleteOptions;
    }

    /** Whether the real server has this, such as {@code bindings} or {@code pods/log}, and this one has not. */
    public boolean lacks(String apiVersion, String resource) {
        return lacking.contains(apiVersion + "/" + resource);
    }

    private void add(JsonNode row, JsonNode notes) {
        String group = row.path("group").asText();
        String plural = row.path("plural").asText();
        String path = ResourceType.apiVersion(group, row.path("version").asText()) + "/" + plural;
        List<String> subresources = Json.texts(row.path("subresources"));
        subresources.stream()
                .filter(name -> !SUBRESOURCES.contains(name))
                .forEach(name -> lacking.add(path + "/" + name));
        if (row.has("schema")) {
            String name = group.isEmpty() ? plural : plural + "." + group;
            types.add(type(row, subresources, name, notes.path(name)));
        } else {
            lacking.add(path);
        }
    }

    private ResourceType type(JsonNode row, List<String> subresources, String name, JsonNode notes) {
        String kind = row.path("kind").asText();
        String version = row.path("version").asText();
        String schema = row.path("schema").asText();
        List<String> columns = notes.has("columns") ? Json.texts(notes.path("columns")) : CREATED;
        return new ResourceType(
                row.path("group").asText(),
                version,
                kind,
                kind + "List",
                row.path("plural").asText(),
                row.path("singular").asText(),
                row.path("namespaced").asBoolean(),
                Json.texts(row.path("short")),
                Json.texts(row.path("categories")),
                notes.path("storage").asText(name),
                // Objects are kept in the version that comes first.
                types.stream()
                        .filter(type -> type.groupResource().equals(name))
                        .map(ResourceType::version)
                        .findFirst()
                        .orElse(version),
                subresources.stream().filter(SUBRESOURCES::contains).toList(),
                subresources.contains("scale") ? SCALE : null,
                Json.texts(notes.path("traits")).stream().map(Trait::of).collect(Collectors.toUnmodifiableSet()),
                notes.has("kept-by-status") ? Json.texts(notes.path("kept-by-status")) : List.of("spec"),
                notes.has("kept-by-update")
                        ? Json.texts(notes.path("kept-by-update"))
                        : subresources.contains("status") ? List.of("status") : List.of(),
                schemas.of(schema),
                null,
                null,
                fields(notes.path("fields")),
                Json.texts(notes.path("immutable")),
                columns.stream().map(Column::parse).toList(),
                schema,
                notes.path("inert").asText(),
                notes.path("deprecation").asText(),
                row.path("review").asBoolean(),
                Map.of(),
                null);
    }

    private static Map<String, String> fields(JsonNode list) {
        return Json.texts(list).stream()
                .map(field -> field.split("=", 2))
                .collect(Collectors.toUnmodifiableMap(field -> field[0], field -> field[field.length - 1]));
    }
}

package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.schema.KubernetesSchemas;
import io.controllermanager.testing.apiserver.schema.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The resources that need no CRD: those of Kubernetes' own discovery, with what a table beside this class adds to them. */
public final class BuiltIns {

    private static final Scale SCALE = new Scale(".spec.replicas", ".status.replicas", "");
    private static final Set<String> SUBRESOURCES = Set.of("status", "scale");
    private static final BuiltIns ALL = new BuiltIns();

    private final List<ResourceType> types = new ArrayList<>();
    /** What the real server has of a group that is served here, and this one has not. */
    private final Set<String> lacking = new HashSet<>();

    private final KubernetesSchemas schemas;

    private BuiltIns() {
        try {
            JsonNode table = Json.readYaml(read("builtin-resources.yaml"));
            schemas = new KubernetesSchemas(table.path("defaults"));
            for (JsonNode row : Json.read(read("kubernetes-resources.json"))) {
                add(row, table.path("resources"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** They are the same for all servers. */
    public static BuiltIns all() {
        return ALL;
    }

    public List<ResourceType> types() {
        return List.copyOf(types);
    }

    /** Of metadata, whatever it belongs to. */
    public Schema metadata() {
        return schemas.metadata();
    }

    /**
     * Whether the real server has this and this one has not.
     *
     * @param resource such as {@code bindings} or {@code pods/log}
     */
    public boolean lacks(String apiVersion, String resource) {
        return lacking.contains(apiVersion + "/" + resource);
    }

    private static byte[] read(String file) throws IOException {
        try (InputStream in = BuiltIns.class.getResourceAsStream(file)) {
            return Objects.requireNonNull(in).readAllBytes();
        }
    }

    private void add(JsonNode row, JsonNode notes) {
        String group = row.path("group").asText();
        String plural = row.path("plural").asText();
        String path = ResourceType.apiVersion(group, row.path("version").asText()) + "/" + plural;
        List<String> subresources = strings(row.path("subresources"));
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
        List<String> columns = notes.has("columns")
                ? strings(notes.path("columns"))
                : List.of("Created At:date=.metadata.creationTimestamp");
        return new ResourceType(
                row.path("group").asText(),
                version,
                kind,
                kind + "List",
                row.path("plural").asText(),
                row.path("singular").asText(),
                row.path("namespaced").asBoolean(),
                strings(row.path("short")),
                strings(row.path("categories")),
                notes.path("storage").asText(name),
                // Objects are kept in the version that comes first.
                types.stream()
                        .filter(type -> type.groupResource().equals(name))
                        .map(ResourceType::version)
                        .findFirst()
                        .orElse(version),
                subresources.contains("status"),
                subresources.contains("scale") ? SCALE : null,
                notes.path("generation").asBoolean(),
                schemas.of(schema),
                schemas.metadata(),
                null,
                null,
                fields(notes.path("fields")),
                strings(notes.path("immutable")),
                columns.stream().map(Column::parse).toList(),
                schema,
                notes.path("inert").asText(),
                Map.of());
    }

    private static Map<String, String> fields(JsonNode list) {
        return strings(list).stream()
                .map(field -> field.split("=", 2))
                .collect(Collectors.toUnmodifiableMap(field -> field[0], field -> field[field.length - 1]));
    }

    static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>();
        list.forEach(item -> strings.add(item.asText()));
        return List.copyOf(strings);
    }
}

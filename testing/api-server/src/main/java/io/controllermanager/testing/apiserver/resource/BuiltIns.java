package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.schema.ModelSchemas;
import io.controllermanager.testing.apiserver.schema.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** The resources that need no CRD, read from a table beside this class. */
public final class BuiltIns {

    private static final Scale SCALE = new Scale(".spec.replicas", ".status.replicas", "");

    private final List<ResourceType> types = new ArrayList<>();
    private final ModelSchemas schemas;
    private final Schema metadata;

    public BuiltIns() {
        JsonNode table = table();
        schemas = new ModelSchemas(table.path("schemas"));
        metadata = schemas.of("V1ObjectMeta");
        table.path("resources").forEach(row -> types.add(type(row)));
    }

    public List<ResourceType> types() {
        return List.copyOf(types);
    }

    /** Of metadata, whatever it belongs to. */
    public Schema metadata() {
        return metadata;
    }

    public ModelSchemas schemas() {
        return schemas;
    }

    private static JsonNode table() {
        try (InputStream in = BuiltIns.class.getResourceAsStream("builtin-resources.yaml")) {
            return Json.readYaml(Objects.requireNonNull(in).readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ResourceType type(JsonNode row) {
        String group = row.path("group").asText("");
        String kind = row.path("kind").asText();
        String plural = row.path("plural").asText();
        String storage = row.path("storage").asText(group.isEmpty() ? plural : plural + "." + group);
        return new ResourceType(
                group,
                "v1",
                kind,
                kind + "List",
                plural,
                kind.toLowerCase(Locale.ROOT),
                row.path("namespaced").asBoolean(true),
                strings(row.path("short")),
                strings(row.path("categories")),
                storage,
                "v1",
                row.path("status").asBoolean(),
                row.path("scale").asBoolean() ? SCALE : null,
                row.path("generation").asBoolean(),
                schemas.of(row.path("model").asText()),
                metadata,
                null,
                null,
                Set.copyOf(strings(row.path("fields"))),
                strings(row.path("immutable")),
                strings(row.path("columns")).stream().map(Column::parse).toList(),
                ModelSchemas.name(row.path("model").asText()));
    }

    static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>();
        list.forEach(item -> strings.add(item.asText()));
        return List.copyOf(strings);
    }
}

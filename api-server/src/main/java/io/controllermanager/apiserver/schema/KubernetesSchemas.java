package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;

/**
 * The schemas of the built-in types: Kubernetes' own OpenAPI, which {@code api-server/tests/client-go/types} brings
 * here. They are read when the first one is asked for, each is parsed by itself, and their texts are not kept, since most
 * tests touch a few types and explain none.
 */
public final class KubernetesSchemas {

    /** In a schema, what {@link Defaults} fills in by conditions. */
    static final String FILL = "x-fill";

    /** In a schema, which scalars Go leaves out when they are empty. */
    static final String OMIT_EMPTY = "x-omitempty";

    private final JsonNode defaults;
    private final JsonNode readOtherwise;
    private final List<String> neverZero;
    private final Map<String, ObjectNode> definitions = new ConcurrentHashMap<>();

    /** What is read with the first schema. */
    private static final class Lines {

        private static final Map<String, String> SCHEMAS = lines("schemas.gz");
    }

    /** Reads schemas when they are asked for. The table has what Kubernetes' code does that OpenAPI does not tell. */
    public KubernetesSchemas(JsonNode table) {
        defaults = table.path("defaults");
        readOtherwise = table.path("read-otherwise");
        neverZero = Json.texts(table.path("never-zero"));
    }

    /** The schema of a type by its name, such as {@code io.k8s.api.core.v1.Pod}. */
    public Schema of(String name) {
        return new Schema(Json.object().put("$ref", Schema.REF + name), this::definition);
    }

    private ObjectNode definition(String name) {
        return definitions.computeIfAbsent(
                name, it -> readOtherwise.get(it) instanceof ObjectNode other ? other : withDefaults(it, parse(it)));
    }

    private static ObjectNode parse(String name) {
        String line = Objects.requireNonNull(Lines.SCHEMAS.get(name), "the schema " + name);
        return Json.readOwn(line.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds the defaults of Kubernetes' code to those of OpenAPI, which has what Go writes of a field that nobody has set. */
    private ObjectNode withDefaults(String name, ObjectNode schema) {
        Set<String> never = new HashSet<>(Json.texts(schema.path("required")));
        never.retainAll(neverZero);
        String type = defaults.has(name) ? name : name.substring(name.lastIndexOf('.') + 1);
        if (defaults.has(type)) {
            schema.set(FILL, defaults.path(type));
        }
        schema.path("properties").properties().forEach(property -> {
            ObjectNode field = (ObjectNode) property.getValue();
            JsonNode initial = defaults.path(type + "." + property.getKey());
            if (initial.isNull() || never.contains(property.getKey())) {
                field.remove("default");
            } else if (!initial.isMissingNode()) {
                field.set("default", initial);
            }
        });
        return schema;
    }

    /** The schemas with their texts, as Kubernetes publishes them. Made for one document, since the texts are long. */
    public static final class Published {

        private final Map<String, String> texts = lines("texts.gz");

        public Set<String> names() {
            return texts.keySet();
        }

        public ObjectNode schema(String name) {
            ObjectNode schema = parse(name);
            schema.remove(OMIT_EMPTY);
            JsonNode properties = schema.path("properties");
            JsonNode told = Json.readOwn(texts.getOrDefault(name, "{}").getBytes(StandardCharsets.UTF_8));
            told.properties().forEach(text -> {
                JsonNode of = text.getKey().isEmpty() ? schema : properties.path(text.getKey());
                ((ObjectNode) of).set("description", text.getValue());
            });
            return schema;
        }
    }

    /** Reads a file of lines, each a name, a tab and JSON. */
    private static Map<String, String> lines(String file) {
        try (InputStream in = Objects.requireNonNull(KubernetesSchemas.class.getResourceAsStream(file));
                GZIPInputStream text = new GZIPInputStream(in)) {
            Map<String, String> lines = new TreeMap<>();
            new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(line -> {
                int tab = line.indexOf('\t');
                lines.put(line.substring(0, tab), line.substring(tab + 1));
            });
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One node of an OpenAPI v3 schema with Kubernetes' extensions; a {@code $ref} is followed when it is looked into. */
public final class Schema {

    static final String REF = "#/components/schemas/";

    /** What may be anything. */
    public static final Schema ANY = new Schema(Json.object().put("x-kubernetes-preserve-unknown-fields", true), null);

    private final ObjectNode given;
    private final @Nullable Function<String, ObjectNode> definitions;
    /** What is known of fields whatever is said of them here. */
    private final Map<String, Schema> common;

    private volatile @Nullable ObjectNode resolved;

    Schema(ObjectNode given, @Nullable Function<String, ObjectNode> definitions) {
        this(given, definitions, Map.of());
    }

    private Schema(ObjectNode given, @Nullable Function<String, ObjectNode> definitions, Map<String, Schema> common) {
        this.given = given;
        this.definitions = definitions;
        this.common = common;
    }

    /** The schema of a CRD's version. */
    public static Schema of(ObjectNode structural) {
        return new Schema(structural, null);
    }

    /** The same of whole objects, which have metadata, a kind and a version of that whether it says so or not. */
    public Schema withMetadata(Schema metadata) {
        return new Schema(given, definitions, Map.of("apiVersion", ANY, "kind", ANY, "metadata", metadata));
    }

    private static String ref(ObjectNode node) {
        JsonNode from = node.path("allOf").size() == 1 ? node.path("allOf").path(0) : node;
        JsonNode ref = from.path("$ref");
        return ref.isTextual() ? ref.asText().substring(REF.length()) : "";
    }

    /** What it says, not to be changed: definitions share their parts. */
    public ObjectNode node() {
        ObjectNode known = resolved;
        if (known == null) {
            String ref = definitions == null ? "" : ref(given);
            known = given;
            if (definitions != null && !ref.isEmpty()) {
                known = Json.object().setAll(definitions.apply(ref));
                known.setAll(given);
                known.remove(List.of("allOf", "$ref"));
            }
            resolved = known;
        }
        return known;
    }

    /** A declared property; null if there is none of this name. */
    public @Nullable Schema property(String name) {
        if (common.containsKey(name)) {
            return common.get(name);
        }
        return node().path("properties").get(name) instanceof ObjectNode property
                ? new Schema(property, definitions)
                : null;
    }

    /** What belongs under a key: the property, or what all keys of a map hold; null if nothing may be there. */
    public @Nullable Schema under(String name) {
        Schema property = property(name);
        Schema declared = property == null ? values() : property;
        boolean takesAny = node().path("additionalProperties").asBoolean(false) || preservesUnknownFields();
        return declared == null && takesAny ? ANY : declared;
    }

    /** What is known of what is under a key; of what may not be there, nothing is. */
    public Schema at(String name) {
        Schema under = under(name);
        return under == null ? ANY : under;
    }

    /** Shows what is in a list or an object, and the schema of each part of which there is one. */
    void forEach(JsonNode value, BiConsumer<JsonNode, Schema> action) {
        value.properties().forEach(field -> {
            Schema under = under(field.getKey());
            if (under != null) {
                action.accept(field.getValue(), under);
            }
        });
        if (value.isArray()) {
            value.forEach(item -> action.accept(item, items()));
        }
    }

    /** What all keys of a map hold; null where the schema does not tell. */
    public @Nullable Schema values() {
        return node().get("additionalProperties") instanceof ObjectNode map ? new Schema(map, definitions) : null;
    }

    public Schema items() {
        return node().get("items") instanceof ObjectNode items ? new Schema(items, definitions) : ANY;
    }

    /** Whether this is of a built-in type, whose keys have Go's zero values where they are left out. */
    public boolean isBuiltIn() {
        return definitions != null;
    }

    public boolean preservesUnknownFields() {
        return node().path("x-kubernetes-preserve-unknown-fields").asBoolean(false);
    }

    public @Nullable JsonNode defaultValue() {
        return node().get("default");
    }

    public boolean isNullable() {
        return node().path("nullable").asBoolean(false);
    }

    /** Whether an object is replaced as a whole by apply. */
    public boolean isAtomicMap() {
        return node().path("x-kubernetes-map-type").asText().equals("atomic");
    }

    /** Whether a list's elements are values that occur once. */
    public boolean isSet() {
        return node().path("x-kubernetes-list-type").asText().equals("set");
    }

    /** The keys by which a list's elements are told apart; empty for a list that is no map. */
    public List<String> mapKeys() {
        boolean isMap = node().path("x-kubernetes-list-type").asText().equals("map");
        return isMap ? Json.texts(node().path("x-kubernetes-list-map-keys")) : List.of();
    }

    /** The key by which strategic merge patch tells a list's elements apart; empty where it replaces the list. */
    public String mergeKey() {
        return node().path("x-kubernetes-patch-merge-key").asText("");
    }

    /** Whether strategic merge patch merges this list. */
    public boolean isMergedByPatch() {
        return node().path("x-kubernetes-patch-strategy").asText("").contains("merge");
    }

    /** The path of a property below another. */
    public static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}

package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Drops what is empty, as Go's {@code omitempty} does where the real server writes a typed object: scalars, lists and maps,
 * but not structs. Clients in other languages send them; client-java's models of a CRD's schema begin as a dozen empty lists.
 */
public final class Empties {

    /** Of a CRD's schema, what holds values rather than schemas. */
    private static final Set<String> VALUES = Set.of("default", "example", "enum");

    /** The keywords whose empty object says something: any value fits. */
    private static final Set<String> MAY_BE_EMPTY =
            Set.of("default", "example", "items", "additionalProperties", "not");

    private Empties() {}

    /** Drops a built-in type's empty values, in place, but those that are required and those that Go points to. */
    public static void drop(JsonNode value, Schema schema) {
        schema.forEach(value, Empties::drop);
        List<String> required = Json.texts(schema.node().path("required"));
        List<String> scalars = Json.texts(schema.node().path(KubernetesSchemas.OMIT_EMPTY));
        value.properties().removeIf(field -> {
            Schema property = schema.property(field.getKey());
            return (property != null && field.getValue().isContainerNode())
                    ? isCollection(property) && field.getValue().isEmpty() && !required.contains(field.getKey())
                    : scalars.contains(field.getKey()) && isEmpty(field.getValue());
        });
    }

    private static boolean isEmpty(JsonNode scalar) {
        return scalar.isTextual() ? scalar.asText().isEmpty() : !scalar.asBoolean();
    }

    private static boolean isCollection(Schema schema) {
        return schema.node().path("type").asText().equals("array")
                || (schema.node().has("additionalProperties") && !schema.node().has("properties"));
    }

    /** Drops the empty lists and maps of a CRD's schema, in place. */
    public static void dropFromSchema(JsonNode schema) {
        if (schema instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> keyword : object.properties()) {
                String name = keyword.getKey();
                if (name.equals("properties") || name.equals("patternProperties")) {
                    keyword.getValue().forEach(Empties::dropFromSchema);
                } else if (!VALUES.contains(name)) {
                    dropFromSchema(keyword.getValue());
                }
            }
            object.properties()
                    .removeIf(keyword -> keyword.getValue().isContainerNode()
                            && keyword.getValue().isEmpty()
                            && !MAY_BE_EMPTY.contains(keyword.getKey()));
        } else if (schema instanceof ArrayNode array) {
            array.forEach(Empties::dropFromSchema);
        }
    }
}

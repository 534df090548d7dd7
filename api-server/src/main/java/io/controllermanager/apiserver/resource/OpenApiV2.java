package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.KubernetesSchemas.Published;
import java.util.Set;

/**
 * {@code /openapi/v2}, by which kubectl and helm validate on their own side: lists, and kinds that they find nowhere else.
 * What version 2 cannot say is left out, as the real server does (apiextensions-apiserver, controller/openapi/v2).
 */
public final class OpenApiV2 {

    private static final Set<String> NOT_IN_V2 =
            Set.of("default", "nullable", "allOf", "anyOf", "oneOf", "not", "x-kubernetes-validations");

    private OpenApiV2() {}

    /** All types in one document. */
    public static ObjectNode document(Registry registry) {
        ObjectNode document = OpenApi.begin("swagger", "2.0");
        ObjectNode paths = document.putObject("paths");
        ObjectNode definitions = document.putObject("definitions");
        Published published = new Published();
        for (String name : published.names()) {
            definitions.set(name, schema(published.schema(name)));
        }
        for (ResourceType type : registry.types()) {
            if (type.isCustom()) {
                definitions.set(type.schemaName(), definition(type, published));
            }
            OpenApi.describe(paths, type, false);
        }
        return document;
    }

    private static ObjectNode definition(ResourceType type, Published published) {
        if (type.schema().preservesUnknownFields()) {
            // With any property kubectl would refuse all others.
            ObjectNode open = Json.object().put("type", "object");
            open.putArray(OpenApi.GVK).add(OpenApi.gvk(type));
            return open;
        }
        return schema(OpenApi.schema(type, published));
    }

    private static ObjectNode schema(JsonNode v3) {
        ObjectNode v2 = Json.object();
        v3.properties().forEach(keyword -> {
            String name = keyword.getKey();
            JsonNode value = keyword.getValue();
            if (name.equals("properties")) {
                ObjectNode properties = v2.putObject(name);
                value.properties().forEach(property -> properties.set(property.getKey(), schema(property.getValue())));
            } else if (name.equals("items") || (name.equals("additionalProperties") && value.isObject())) {
                v2.set(name, schema(value));
            } else if (!NOT_IN_V2.contains(name)) {
                v2.set(name, value);
            }
        });
        JsonNode ref =
                v3.path("allOf").path(0).has("$ref") ? v3.path("allOf").path(0).path("$ref") : v3.path("$ref");
        if (ref.isTextual()) {
            v2.put("$ref", ref.asText().replace(OpenApi.REF, "#/definitions/"));
        } else if (v3.has("oneOf") && v3.has("format") && !v3.has("type")) {
            // An IntOrString or a Quantity, which is said to be what it mostly is.
            v2.put("type", "string");
        }
        boolean open = v3.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        boolean nullable = v3.path("nullable").asBoolean();
        if (open || nullable) {
            v2.remove("items");
            v2.remove("properties");
        }
        String type = v2.path("type").asText();
        if (nullable || (type.equals("array") && !v2.has("items")) || (open && type.equals("object"))) {
            v2.remove("type");
        }
        return v2;
    }
}

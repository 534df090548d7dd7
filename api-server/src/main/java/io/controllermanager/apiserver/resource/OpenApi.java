package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.KubernetesSchemas.Published;
import java.util.List;

/**
 * {@code /openapi/v3}: the schemas of all types, and of each type's operations as much as clients read: of what kind they
 * are, how a patch may come, and by which parameters kubectl finds out that the server validates fields itself.
 */
public record OpenApi(Registry registry) {

    static final String GVK = "x-kubernetes-group-version-kind";
    static final String REF = "#/components/schemas/";
    private static final List<String> PARAMETERS = List.of("dryRun", "fieldManager", "fieldValidation");
    private static final String CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap";

    /** The document that says where the others are. */
    public ObjectNode index() {
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        registry.types().forEach(type -> {
            String path = type.path().substring(1);
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path);
        });
        return index;
    }

    /** The document of one group's version. */
    public ObjectNode document(String group, String version) {
        List<ResourceType> types = registry.types(group, version);
        if (types.isEmpty()) {
            throw StatusException.noSuchResource();
        }
        ObjectNode document = begin("openapi", "3.0.0");
        ObjectNode paths = document.putObject("paths");
        ObjectNode schemas = document.putObject("components").putObject("schemas");
        Published published = new Published();
        for (ResourceType type : types) {
            schemas.set(type.schemaName(), schema(type, published));
            if (!type.isCustom() && !type.review()) {
                schemas.set(type.schemaName() + "List", published.schema(type.schemaName() + "List"));
            }
            describe(paths, type, true);
        }
        addReferenced(schemas, published);
        return document;
    }

    /** A document that has no more than its head. */
    static ObjectNode begin(String format, String formatVersion) {
        ObjectNode document = Json.object().put(format, formatVersion);
        document.putObject("info").put("title", "Kubernetes").put("version", "v1.36.3");
        return document;
    }

    /** A type's schema with what all objects have. */
    static ObjectNode schema(ResourceType type, Published published) {
        if (!type.isCustom()) {
            return published.schema(type.schemaName());
        }
        ObjectNode schema = type.schema().node().deepCopy();
        ObjectNode properties = Json.child(schema, "properties");
        JsonNode common = published.schema(CONFIG_MAP).path("properties");
        for (String field : List.of("apiVersion", "kind", "metadata")) {
            properties.set(field, common.path(field));
        }
        schema.putArray(GVK).add(gvk(type));
        return schema;
    }

    /** A type as OpenAPI and webhooks name it. */
    public static ObjectNode gvk(ResourceType type) {
        return Json.object().put("group", type.group()).put("kind", type.kind()).put("version", type.version());
    }

    /** Adds what can be done with one object. Version 3 wraps what version 2 says. */
    static void describe(ObjectNode paths, ResourceType type, boolean v3) {
        ObjectNode path = paths.putObject(type.path("{namespace}", "{name}"));
        for (String method : List.of("get", "put", "patch", "delete")) {
            ObjectNode operation = path.putObject(method).put("x-kubernetes-action", method);
            operation.set(GVK, gvk(type));
            ArrayNode parameters = operation.putArray("parameters");
            for (String name : PARAMETERS) {
                ObjectNode parameter = parameters.addObject().put("name", name).put("in", "query");
                (v3 ? parameter.putObject("schema") : parameter).put("type", "string");
            }
            operation.putObject("responses").putObject("200").put("description", "OK");
        }
        if (v3) {
            ObjectNode content = path.withObject("/patch/requestBody/content");
            type.patches().forEach(content::putObject);
        } else {
            type.patches().forEach(path.withObject("/patch").putArray("consumes")::add);
        }
    }

    private static void addReferenced(ObjectNode schemas, Published published) {
        List<JsonNode> left = Json.list(schemas);
        for (int i = 0; i < left.size(); i++) {
            for (JsonNode ref : left.get(i).findValues("$ref")) {
                String name = ref.asText().replace(REF, "");
                // A property of a CRD's schema may have this name.
                if (ref.isTextual() && !schemas.has(name)) {
                    left.add(published.schema(name));
                    schemas.set(name, left.get(left.size() - 1));
                }
            }
        }
    }
}

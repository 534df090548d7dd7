package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * {@code /openapi/v3} as far as kubectl reads it: schemas for {@code explain} and strategic merge patches, and of each
 * kind one PATCH operation, by whose parameters kubectl finds out that the server validates fields itself.
 */
public final class OpenApi {

    private static final String GVK = "x-kubernetes-group-version-kind";
    private static final String REF = "#/components/schemas/";

    private final Registry registry;

    public OpenApi(Registry registry) {
        this.registry = registry;
    }

    /** The document that says where the others are. */
    public ObjectNode index() {
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        registry.types().forEach(type -> {
            String path = path(type);
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path);
        });
        return index;
    }

    private static String path(ResourceType type) {
        return type.group().isEmpty() ? "api/v1" : "apis/" + type.apiVersion();
    }

    /** The document of one group's version. */
    public ObjectNode document(String group, String version) {
        List<ResourceType> types = registry.types(group, version);
        if (types.isEmpty()) {
            throw StatusException.noSuchResource();
        }
        ObjectNode document = Json.object().put("openapi", "3.0.0");
        document.putObject("info").put("title", "Kubernetes").put("version", "v1");
        ObjectNode paths = document.putObject("paths");
        ObjectNode schemas = document.putObject("components").putObject("schemas");
        for (ResourceType type : types) {
            schemas.set(type.schemaName(), schema(type));
            ObjectNode path = paths.putObject("/" + path(type) + (type.namespaced() ? "/namespaces/{namespace}/" : "/")
                    + type.plural() + "/{name}");
            for (String method : List.of("get", "put", "patch", "delete")) {
                operation(path.putObject(method), type, method);
            }
        }
        Set<String> seen = new HashSet<>();
        List.copyOf(schemas.properties()).forEach(schema -> addReferenced(schemas, schema.getValue(), seen));
        return document;
    }

    private ObjectNode schema(ResourceType type) {
        ObjectNode schema = type.schema().node().deepCopy();
        if (type.isCustom()) {
            ObjectNode properties = Json.child(schema, "properties");
            text(properties, "apiVersion");
            text(properties, "kind");
            properties.putObject("metadata").putArray("allOf").addObject().put("$ref", REF + "io.k8s.api.ObjectMeta");
        }
        schema.putArray(GVK).add(gvk(type));
        return schema;
    }

    private static void text(ObjectNode properties, String name) {
        if (!properties.path(name).has("type")) {
            properties.putObject(name).put("type", "string");
        }
    }

    private static ObjectNode gvk(ResourceType type) {
        return Json.object().put("group", type.group()).put("kind", type.kind()).put("version", type.version());
    }

    private static void operation(ObjectNode operation, ResourceType type, String method) {
        operation.put("x-kubernetes-action", method).set(GVK, gvk(type));
        ArrayNode parameters = operation.putArray("parameters");
        for (String name : List.of("dryRun", "fieldManager", "fieldValidation")) {
            parameters
                    .addObject()
                    .put("name", name)
                    .put("in", "query")
                    .putObject("schema")
                    .put("type", "string");
        }
        operation.putObject("responses").putObject("200").put("description", "OK");
    }

    private void addReferenced(ObjectNode schemas, JsonNode node, Set<String> seen) {
        for (JsonNode ref : node.findValues("$ref")) {
            String name = ref.asText().substring(REF.length());
            if (seen.add(name)) {
                ObjectNode definition = registry.builtIns().schemas().definition(name);
                if (!schemas.has(name)) {
                    schemas.set(name, definition);
                }
                addReferenced(schemas, definition, seen);
            }
        }
    }
}

package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.JsonPathException;
import io.controllermanager.testing.apiserver.cel.Rules;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.schema.Schema;
import io.controllermanager.testing.apiserver.schema.Validator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

/** Reads the types that a CRD defines. */
public final class CustomTypes {

    private static final String RULES = "x-kubernetes-validations";

    private CustomTypes() {}

    /** What is wrong with a CRD, what this server cannot do included. */
    public static List<Cause> judge(JsonNode crd) {
        List<Cause> causes = new ArrayList<>();
        JsonNode spec = crd.path("spec");
        String name = spec.path("names").path("plural").asText() + "."
                + spec.path("group").asText();
        if (!Meta.name(crd).equals(name)) {
            String why = "must be spec.names.plural+\".\"+spec.group";
            causes.add(Cause.invalid("metadata.name", Meta.name(crd), why));
        }
        if (spec.path("conversion").path("strategy").asText("None").equals("Webhook")) {
            causes.add(new Cause(
                    "FieldValueNotSupported",
                    "Unsupported value: \"Webhook\": the embedded API server does not convert between versions",
                    "spec.conversion.strategy"));
        }
        String scope = spec.path("scope").asText();
        if (!scope.isEmpty() && !Set.of("Cluster", "Namespaced").contains(scope)) {
            causes.add(Cause.unsupported("spec.scope", scope, List.of("Cluster", "Namespaced")));
        }
        columns(spec.path("versions"), causes);
        boolean oneSchema = isShared(spec.path("versions"), "/schema/openAPIV3Schema");
        int stored = 0;
        for (int i = 0; i < spec.path("versions").size(); i++) {
            JsonNode version = spec.path("versions").path(i);
            stored += version.path("storage").asBoolean() ? 1 : 0;
            JsonNode schema = version.path("schema").path("openAPIV3Schema");
            String path = (oneSchema ? "spec.validation" : "spec.versions[" + i + "].schema") + ".openAPIV3Schema";
            if (i > 0 && oneSchema) {
                continue;
            }
            if (schema.isMissingNode()) {
                causes.add(Cause.required(path, "schemas are required"));
            } else {
                structural(path, schema, true, causes);
            }
            if (causes.isEmpty() && schema instanceof ObjectNode object && object.findValue(RULES) != null) {
                Rules.compile(path, object, causes);
            }
        }
        if (stored != 1) {
            causes.add(new Cause(
                    "FieldValueInvalid",
                    "Invalid value: must have exactly one version marked as storage version",
                    "spec.versions"));
        }
        return causes;
    }

    private static void columns(JsonNode versions, List<Cause> causes) {
        boolean shared = isShared(versions, "/additionalPrinterColumns");
        for (int i = 0; i < (shared ? 1 : versions.size()); i++) {
            String path = shared ? "spec" : "spec.versions[" + i + "]";
            JsonNode list = versions.path(i).path("additionalPrinterColumns");
            for (int j = 0; j < list.size(); j++) {
                String way = list.path(j).path("jsonPath").asText();
                if (!way.isEmpty() && !way.startsWith(".")) {
                    causes.add(Cause.invalid(
                            path + ".additionalPrinterColumns[" + j + "].JSONPath",
                            way,
                            "must be a simple json path starting with ."));
                }
            }
        }
    }

    /** Whether all versions say the same of something, which the real server then keeps in one place. */
    private static boolean isShared(JsonNode versions, String what) {
        return Json.list(versions).stream()
                        .map(version -> version.at(what))
                        .distinct()
                        .count()
                == 1;
    }

    /**
     * Judges a schema and those in it.
     *
     * @param typed whether it has to have a type; under a junctor types are left to the schema around it
     */
    private static void structural(String path, JsonNode schema, boolean typed, List<Cause> causes) {
        boolean typeless = !schema.has("type")
                && !schema.path("x-kubernetes-int-or-string").asBoolean()
                && !schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        if (typed && typeless) {
            causes.add(Cause.required(path + ".type", "must not be empty for specified object fields"));
        }
        pattern(path, schema, causes);
        within(path, schema, (under, inner) -> structural(under, inner, typed, causes));
        for (String junctor : List.of("allOf", "anyOf", "oneOf")) {
            JsonNode inner = schema.path(junctor);
            for (int i = 0; i < inner.size(); i++) {
                structural(path + "." + junctor + "[" + i + "]", inner.path(i), false, causes);
            }
        }
        if (schema.path("not").isObject()) {
            structural(path + ".not", schema.path("not"), false, causes);
        }
    }

    private static void pattern(String path, JsonNode schema, List<Cause> causes) {
        try {
            Pattern.compile(schema.path("pattern").asText());
        } catch (PatternSyntaxException e) {
            String why = "must be a valid regular expression, but isn't: " + e.getMessage();
            causes.add(Cause.invalid(path + ".pattern", schema.path("pattern"), why));
        }
    }

    private static void within(String path, JsonNode schema, BiConsumer<String, JsonNode> action) {
        schema.path("properties")
                .properties()
                .forEach(property ->
                        action.accept(path + ".properties[" + property.getKey() + "]", property.getValue()));
        for (String field : List.of("items", "additionalProperties")) {
            if (schema.path(field).isObject()) {
                action.accept(path + "." + field, schema.path(field));
            }
        }
    }

    /** The types of a CRD's served versions. */
    public static List<ResourceType> of(JsonNode crd, Schema metadata) {
        JsonNode spec = crd.path("spec");
        List<ResourceType> types = new ArrayList<>();
        Map<String, Schema> schemas = new HashMap<>();
        String storageVersion = "";
        for (JsonNode version : spec.path("versions")) {
            schemas.put(version.path("name").asText(), schema(spec, version));
            if (version.path("storage").asBoolean()) {
                storageVersion = version.path("name").asText();
            }
        }
        for (JsonNode version : spec.path("versions")) {
            if (version.path("served").asBoolean()) {
                types.add(type(spec, version, storageVersion, Map.copyOf(schemas), metadata));
            }
        }
        return types;
    }

    private static Schema schema(JsonNode spec, JsonNode version) {
        ObjectNode schema = version.path("schema").path("openAPIV3Schema") instanceof ObjectNode given
                ? given.deepCopy()
                : Json.object();
        if (spec.path("preserveUnknownFields").asBoolean()) {
            schema.put("x-kubernetes-preserve-unknown-fields", true);
        }
        return Schema.of(schema);
    }

    private static ResourceType type(
            JsonNode spec, JsonNode version, String storageVersion, Map<String, Schema> schemas, Schema metadata) {
        JsonNode names = spec.path("names");
        String group = spec.path("group").asText();
        String kind = names.path("kind").asText();
        String plural = names.path("plural").asText();
        Schema own = Objects.requireNonNull(schemas.get(version.path("name").asText()));
        ObjectNode schema = own.node();
        JsonNode subresources = version.path("subresources");
        return new ResourceType(
                group,
                version.path("name").asText(),
                kind,
                names.path("listKind").asText(kind + "List"),
                plural,
                names.path("singular").asText(kind.toLowerCase(Locale.ROOT)),
                spec.path("scope").asText().equals("Namespaced"),
                Json.texts(names.path("shortNames")),
                Json.texts(names.path("categories")),
                plural + "." + group,
                storageVersion,
                subresources.has("status"),
                subresources.has("scale") ? scale(subresources.path("scale")) : null,
                Set.of(Trait.COUNTS_GENERATIONS, Trait.PUT_BY_VERSION),
                List.of("spec", "metadata"),
                own,
                metadata,
                new Validator(schema, subresources.has("status")),
                schema.findValue(RULES) != null ? Rules.compile("", schema, new ArrayList<>()) : null,
                fields(version),
                List.of(),
                columns(version),
                String.join(".", reversed(group)) + "." + version.path("name").asText() + "." + kind,
                "",
                false,
                schemas);
    }

    private static Scale scale(JsonNode scale) {
        return new Scale(
                scale.path("specReplicasPath").asText(),
                scale.path("statusReplicasPath").asText(),
                scale.path("labelSelectorPath").asText(""));
    }

    private static Map<String, String> fields(JsonNode version) {
        Map<String, String> fields = new HashMap<>();
        version.path("selectableFields").forEach(field -> {
            String path = field.path("jsonPath").asText().substring(1);
            fields.put(path, path);
        });
        return Map.copyOf(fields);
    }

    private static List<Column> columns(JsonNode version) {
        JsonNode given = version.path("additionalPrinterColumns");
        if (given.isEmpty()) {
            return List.of(new Column("Age", "date", "", "", 0, ".metadata.creationTimestamp"));
        }
        List<Column> columns = new ArrayList<>();
        for (JsonNode column : given) {
            String path = column.path("jsonPath").asText();
            if (!isReadable(path)) {
                // As the real server has it: the columns before it are shown.
                break;
            }
            columns.add(new Column(
                    column.path("name").asText(),
                    column.path("type").asText(),
                    column.path("format").asText(""),
                    column.path("description").asText(""),
                    column.path("priority").asInt(),
                    path));
        }
        return List.copyOf(columns);
    }

    private static boolean isReadable(String path) {
        try {
            return !JsonPath.compile("$" + path).getPath().isEmpty();
        } catch (JsonPathException e) {
            return false;
        }
    }

    private static List<String> reversed(String group) {
        List<String> parts = new ArrayList<>(List.of(group.split("\\.", -1)));
        Collections.reverse(parts);
        return parts;
    }
}

package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.cel.Rules;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.schema.Schema;
import io.controllermanager.testing.apiserver.schema.Validator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

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
            causes.add(new Cause(
                    "FieldValueInvalid",
                    "Invalid value: \"" + Meta.name(crd) + "\": must be spec.names.plural+\".\"+spec.group",
                    "metadata.name"));
        }
        if (spec.path("conversion").path("strategy").asText("None").equals("Webhook")) {
            causes.add(new Cause(
                    "FieldValueNotSupported",
                    "Unsupported value: \"Webhook\": the embedded API server does not convert between versions",
                    "spec.conversion.strategy"));
        }
        Set<JsonNode> schemas = new HashSet<>();
        spec.path("versions").forEach(version -> schemas.add(version.at("/schema/openAPIV3Schema")));
        boolean oneSchema = schemas.size() == 1;
        int stored = 0;
        for (int i = 0; i < spec.path("versions").size(); i++) {
            JsonNode version = spec.path("versions").path(i);
            stored += version.path("storage").asBoolean() ? 1 : 0;
            JsonNode schema = version.path("schema").path("openAPIV3Schema");
            // The real server keeps a schema that all versions share in one place.
            String path = (oneSchema ? "spec.validation" : "spec.versions[" + i + "].schema") + ".openAPIV3Schema";
            if (i > 0 && oneSchema) {
                continue;
            }
            if (schema.isMissingNode()) {
                causes.add(new Cause("FieldValueRequired", "Required value: schemas are required", path));
            } else {
                structural(path, schema, causes);
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

    private static void structural(String path, JsonNode schema, List<Cause> causes) {
        boolean typeless = !schema.has("type")
                && !schema.path("x-kubernetes-int-or-string").asBoolean()
                && !schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        if (typeless) {
            causes.add(new Cause(
                    "FieldValueRequired",
                    "Required value: must not be empty for specified object fields",
                    path + ".type"));
        }
        schema.path("properties")
                .properties()
                .forEach(property ->
                        structural(path + ".properties[" + property.getKey() + "]", property.getValue(), causes));
        if (schema.path("items").isObject()) {
            structural(path + ".items", schema.path("items"), causes);
        }
        if (schema.path("additionalProperties").isObject()) {
            structural(path + ".additionalProperties", schema.path("additionalProperties"), causes);
        }
    }

    /** The types of a CRD's served versions. */
    public static List<ResourceType> of(JsonNode crd, Schema metadata) {
        List<ResourceType> types = new ArrayList<>();
        String storageVersion = "";
        for (JsonNode version : crd.path("spec").path("versions")) {
            if (version.path("storage").asBoolean()) {
                storageVersion = version.path("name").asText();
            }
        }
        for (JsonNode version : crd.path("spec").path("versions")) {
            if (version.path("served").asBoolean()) {
                types.add(type(crd.path("spec"), version, storageVersion, metadata));
            }
        }
        return types;
    }

    private static ResourceType type(JsonNode spec, JsonNode version, String storageVersion, Schema metadata) {
        JsonNode names = spec.path("names");
        String group = spec.path("group").asText();
        String kind = names.path("kind").asText();
        String plural = names.path("plural").asText();
        ObjectNode schema = version.path("schema").path("openAPIV3Schema") instanceof ObjectNode given
                ? given.deepCopy()
                : Json.object();
        if (spec.path("preserveUnknownFields").asBoolean()) {
            schema.put("x-kubernetes-preserve-unknown-fields", true);
        }
        JsonNode subresources = version.path("subresources");
        return new ResourceType(
                group,
                version.path("name").asText(),
                kind,
                names.path("listKind").asText(kind + "List"),
                plural,
                names.path("singular").asText(kind.toLowerCase(Locale.ROOT)),
                spec.path("scope").asText().equals("Namespaced"),
                BuiltIns.strings(names.path("shortNames")),
                BuiltIns.strings(names.path("categories")),
                plural + "." + group,
                storageVersion,
                subresources.has("status"),
                subresources.has("scale") ? scale(subresources.path("scale")) : null,
                true,
                Schema.of(schema),
                metadata,
                new Validator(schema),
                schema.findValue(RULES) != null ? Rules.compile("", schema, new ArrayList<>()) : null,
                fields(version),
                List.of(),
                columns(version),
                String.join(".", reversed(group)) + "." + version.path("name").asText() + "." + kind);
    }

    private static Scale scale(JsonNode scale) {
        return new Scale(
                scale.path("specReplicasPath").asText(),
                scale.path("statusReplicasPath").asText(),
                scale.path("labelSelectorPath").asText(""));
    }

    private static Set<String> fields(JsonNode version) {
        List<JsonNode> fields = new ArrayList<>();
        version.path("selectableFields").forEach(fields::add);
        return fields.stream()
                .map(field -> field.path("jsonPath").asText().substring(1))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static List<Column> columns(JsonNode version) {
        List<Column> columns = new ArrayList<>();
        version.path("additionalPrinterColumns")
                .forEach(column -> columns.add(new Column(
                        column.path("name").asText(),
                        column.path("type").asText(),
                        column.path("format").asText(""),
                        column.path("description").asText(""),
                        column.path("priority").asInt(),
                        column.path("jsonPath").asText())));
        return columns.isEmpty()
                ? List.of(new Column("Age", "date", "", "", 0, ".metadata.creationTimestamp"))
                : List.copyOf(columns);
    }

    private static List<String> reversed(String group) {
        List<String> parts = new ArrayList<>(List.of(group.split("\\.", -1)));
        Collections.reverse(parts);
        return parts;
    }
}

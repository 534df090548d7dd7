package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Lists;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.JsonPathException;
import io.controllermanager.apiserver.cel.Rules;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.schema.Schema;
import io.controllermanager.apiserver.schema.Validator;
import io.controllermanager.apiserver.validation.BuiltInRules;
import io.controllermanager.apiserver.webhook.ConversionWebhook;
import io.controllermanager.apiserver.webhook.WebhookClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the types that a CRD defines. */
public final class CustomTypes {

    private static final String RULES = "x-kubernetes-validations";
    /** What the real server keeps once where all versions have it alike. */
    private static final List<String> SHARED =
            List.of("schema", "subresources", "additionalPrinterColumns", "selectableFields");

    private static final String STILL_STORED =
            "missing from spec.versions; %s was previously a storage version, and must remain in spec.versions until a storage"
                    + " migration ensures no data remains persisted in %s and removes %s from status.storedVersions";
    private static final Set<String> SELECTABLE = Set.of("boolean", "integer", "string");
    private static final String APPROVED = "api-approved.kubernetes.io";

    private CustomTypes() {}

    /** What is wrong with a CRD, what this server cannot do included. */
    public static List<Cause> judge(JsonNode crd) {
        List<Cause> causes = new ArrayList<>();
        JsonNode spec = crd.path("spec");
        String name =
                spec.at("/names/plural").asText() + "." + spec.path("group").asText();
        if (!Meta.name(crd).equals(name)) {
            String why = "must be spec.names.plural+\".\"+spec.group";
            causes.add(Cause.invalid("metadata.name", Meta.name(crd), why));
        }
        ObjectNode inside = inside(crd);
        BuiltInRules.judge("definition", "", inside, causes);
        boolean oneSchema = inside.path("spec").has("validation");
        int stored = 0;
        for (int i = 0; i < spec.path("versions").size(); i++) {
            JsonNode version = spec.path("versions").path(i);
            stored += version.path("storage").asBoolean() ? 1 : 0;
            boolean oneSelection = inside.path("spec").has("selectableFields");
            selectable(oneSelection ? "spec" : "spec.versions[" + i + "]", version, causes);
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
        List<String> ever = Json.texts(crd.at("/status/storedVersions"));
        Set<String> gone = new HashSet<>(ever);
        spec.path("versions")
                .forEach(version -> gone.remove(version.path("name").asText()));
        gone.forEach(version -> causes.add(Cause.invalid(
                "status.storedVersions[" + ever.indexOf(version) + "]", version, STILL_STORED.replace("%s", version))));
        approval(crd, causes);
        if (stored != 1) {
            String message = "Invalid value: must have exactly one version marked as storage version";
            causes.add(new Cause("FieldValueInvalid", message, "spec.versions"));
        }
        return causes;
    }

    /** Kubernetes' own groups take a CRD only with an approval, or with the word that there is none (apihelpers). */
    private static void approval(JsonNode crd, List<Cause> causes) {
        String given = crd.path("metadata").path("annotations").path(APPROVED).asText();
        if (crd.at("/spec/group").asText().matches("(.*\\.)?(k8s|kubernetes)\\.io")
                && !given.matches("unapproved.*|[a-z][-+.a-z0-9]*://[^/].*")) {
            String why = "protected groups must have approval annotation \"" + APPROVED + "\""
                    + (given.isEmpty() ? "" : " with either a URL or a reason starting with \"unapproved\"")
                    + ", see https://github.com/kubernetes/enhancements/pull/1111";
            String field = "metadata.annotations[" + APPROVED + "]";
            causes.add(given.isEmpty() ? Cause.required(field, why) : Cause.invalid(field, given, why));
        }
    }

    private static void selectable(String path, JsonNode version, List<Cause> causes) {
        List<String> fields = version.path("selectableFields").findValuesAsText("jsonPath");
        for (String field : fields) {
            JsonNode at = version.at("/schema/openAPIV3Schema");
            for (String step : field.replaceFirst("^\\.", "").split("\\.", -1)) {
                at = at.path("properties").path(step);
            }
            if (!SELECTABLE.contains(at.path("type").asText())) {
                String where = path + ".selectableFields[" + fields.indexOf(field) + "].jsonPath";
                causes.add(Cause.invalid(where, field, "is an invalid path: does not refer to a valid field"));
            }
        }
    }

    /** A CRD as the real server keeps it: what all of its versions have alike stands once, and is told of there. */
    private static ObjectNode inside(JsonNode crd) {
        ObjectNode inside = crd.deepCopy();
        ObjectNode spec = Json.child(inside, "spec");
        List<JsonNode> versions = Json.list(spec.path("versions"));
        versions.forEach(version -> version.path("additionalPrinterColumns")
                .forEach(column -> ((ObjectNode) column).set("JSONPath", column.path("jsonPath"))));
        JsonNode webhook = spec.path("conversion").path("webhook");
        if (webhook.isObject()) {
            ObjectNode conversion = Json.child(spec, "conversion");
            Json.set(conversion, "webhookClientConfig", webhook.path("clientConfig"));
            Json.set(conversion, "conversionReviewVersions", webhook.path("conversionReviewVersions"));
        }
        for (String field : SHARED) {
            Set<JsonNode> values =
                    versions.stream().map(version -> version.path(field)).collect(Collectors.toSet());
            if (values.size() == 1 && versions.get(0).has(field)) {
                String name = field.equals("schema") ? "validation" : field;
                spec.set(name, versions.get(0).get(field));
                versions.forEach(version -> ((ObjectNode) version).remove(field));
            }
        }
        return inside;
    }

    /** Judges a schema and those in it. It has a type if typed; under a junctor the schema around it has that. */
    private static void structural(String path, JsonNode schema, boolean typed, List<Cause> causes) {
        boolean typeless = !schema.has("type")
                && !schema.path("x-kubernetes-int-or-string").asBoolean()
                && !schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        if (typed && typeless) {
            causes.add(Cause.required(path + ".type", "must not be empty for specified object fields"));
        }
        pattern(path, schema, causes);
        BuiltInRules.judge("schema", path, schema, causes);
        if (schema.path("type").asText().equals("array") && !schema.has("items")) {
            causes.add(Cause.required(path + ".items", "must be specified"));
        }
        if (schema.has("properties") && schema.has("additionalProperties")) {
            String why = "additionalProperties and properties are mutual exclusive";
            causes.add(Cause.forbidden(path + ".additionalProperties", why));
        }
        if (schema.hasNonNull("default")) {
            initial(path + ".default", schema, causes);
        }
        schema.path("properties").properties().forEach(property -> {
            String under = path + ".properties[" + property.getKey() + "]";
            structural(under, property.getValue(), typed, causes);
        });
        for (String field : List.of("items", "additionalProperties")) {
            if (schema.path(field).isObject()) {
                structural(path + "." + field, schema.path(field), typed, causes);
            }
        }
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

    private static void initial(String path, JsonNode schema, List<Cause> causes) {
        new Validator(schema, false)
                .validate(schema.path("default"), null)
                .forEach(cause -> causes.add(new Cause(cause.reason(), cause.message(), path)));
    }

    private static void pattern(String path, JsonNode schema, List<Cause> causes) {
        try {
            Pattern.compile(schema.path("pattern").asText());
        } catch (PatternSyntaxException e) {
            String why = "must be a valid regular expression, but isn't: " + e.getMessage();
            causes.add(Cause.invalid(path + ".pattern", schema.path("pattern"), why));
        }
    }

    /** The types of a CRD's served versions. The client calls the webhook that converts between them, where there is one. */
    public static List<ResourceType> of(JsonNode crd, WebhookClient client) {
        JsonNode spec = crd.path("spec");
        List<ResourceType> types = new ArrayList<>();
        Map<String, Schema> schemas = new HashMap<>();
        String storageVersion = "";
        ConversionWebhook converter = Json.fits(spec, "conversion/strategy=Webhook")
                ? new ConversionWebhook(client, spec.at("/conversion/webhook"))
                : null;
        for (JsonNode version : spec.path("versions")) {
            JsonNode schema = version.at("/schema/openAPIV3Schema");
            ObjectNode kept = schema instanceof ObjectNode given ? given.deepCopy() : Json.object();
            schemas.put(
                    version.path("name").asText(),
                    Schema.of(kept).withMetadata(BuiltIns.all().metadata()));
            if (version.path("storage").asBoolean()) {
                storageVersion = version.path("name").asText();
            }
        }
        for (JsonNode version : spec.path("versions")) {
            if (version.path("served").asBoolean()) {
                types.add(type(spec, version, storageVersion, Map.copyOf(schemas), converter));
            }
        }
        return types;
    }

    private static ResourceType type(
            JsonNode spec,
            JsonNode version,
            String storageVersion,
            Map<String, Schema> schemas,
            @Nullable ConversionWebhook converter) {
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
                Stream.of("scale", "status").filter(subresources::has).toList(),
                subresources.has("scale") ? scale(subresources.path("scale")) : null,
                Set.of(Trait.COUNTS_GENERATIONS, Trait.PUT_BY_VERSION),
                List.of("spec", "metadata"),
                subresources.has("status") ? List.of("status") : List.of(),
                own,
                new Validator(schema, subresources.has("status")),
                schema.findValue(RULES) != null ? Rules.compile("", schema, new ArrayList<>()) : null,
                fields(version),
                List.of(),
                columns(version),
                String.join(".", Lists.reverse(List.of(group.split("\\.", -1)))) + "."
                        + version.path("name").asText() + "." + kind,
                "",
                version.path("deprecated").asBoolean()
                        ? version.path("deprecationWarning").asText(deprecation(spec, version))
                        : "",
                false,
                schemas,
                converter);
    }

    /** The warning of a version's use, with the best version that there is instead. */
    private static String deprecation(JsonNode spec, JsonNode version) {
        String form =
                spec.path("group").asText() + "/%s " + spec.at("/names/kind").asText();
        String name = version.path("name").asText();
        String warning = form.formatted(name) + " is deprecated";
        return Json.list(spec.path("versions")).stream()
                .filter(other -> Json.fits(other, "served=true?deprecated!=true"))
                .map(other -> other.path("name").asText())
                .min(VersionOrder.PREFERRED_FIRST)
                .filter(other -> VersionOrder.PREFERRED_FIRST.compare(other, name) < 0)
                .map(other -> warning + "; use " + form.formatted(other))
                .orElse(warning);
    }

    private static Scale scale(JsonNode scale) {
        return new Scale(
                scale.path("specReplicasPath").asText(),
                scale.path("statusReplicasPath").asText(),
                scale.path("labelSelectorPath").asText(""));
    }

    private static Map<String, String> fields(JsonNode version) {
        return version.path("selectableFields").findValuesAsText("jsonPath").stream()
                .map(path -> path.substring(1))
                .distinct()
                .collect(Collectors.toUnmodifiableMap(path -> path, path -> path));
    }

    private static List<Column> columns(JsonNode version) {
        JsonNode given = version.path("additionalPrinterColumns");
        if (given.isEmpty()) {
            return List.of(new Column("Age", "date", "", "", 0, ".metadata.creationTimestamp"));
        }
        return Json.list(given).stream()
                // As the real server has it: the columns before one that cannot be read are shown.
                .takeWhile(column -> isReadable(column.path("jsonPath").asText()))
                .map(column -> new Column(
                        column.path("name").asText(),
                        column.path("type").asText(),
                        column.path("format").asText(""),
                        column.path("description").asText(""),
                        column.path("priority").asInt(),
                        column.path("jsonPath").asText()))
                .toList();
    }

    private static boolean isReadable(String path) {
        try {
            return !JsonPath.compile("$" + path).getPath().isEmpty();
        } catch (JsonPathException e) {
            return false;
        }
    }
}

package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.MediaTypes;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.protobuf.ProtobufReader;
import io.controllermanager.apiserver.resource.BuiltIns;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.schema.Pruning;
import io.controllermanager.apiserver.schema.TypeCheck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Makes objects of a resource's type out of what clients send: kind, field names and types are those of the schema. */
final class Decoder {

    private static final String SUPPORTED = "application/json, application/yaml";

    private static final List<String> FIELD_VALIDATIONS = List.of("", "Ignore", "Strict", "Warn");

    private Decoder() {}

    /** The fields that a body has twice; of YAML it is the parser that tells. */
    private static List<String> duplicates(Request http) {
        String type = MediaTypes.ofBody(http);
        boolean yaml = MediaTypes.isYaml(type) || type.endsWith("+yaml");
        return Json.duplicates(http.body(), yaml).stream()
                .map(path -> yaml
                        ? "key \"" + path.substring(path.lastIndexOf('.') + 1) + "\" already set in map"
                        : "duplicate field \"" + path + "\"")
                .toList();
    }

    /** Reads a body that is an object. */
    static ObjectNode body(Request http, ResourceType of) {
        String type = MediaTypes.ofBody(http);
        boolean yaml = MediaTypes.isYaml(type);
        if (type.equals(MediaTypes.PROTOBUF) && !of.isCustom()) {
            return protobuf(http, of.apiVersion(), of.kind());
        } else if (!yaml && !List.of("", MediaTypes.JSON).contains(type)) {
            throw StatusException.unsupportedMediaType(SUPPORTED + (of.isCustom() ? "" : ", " + MediaTypes.PROTOBUF));
        }
        return (ObjectNode) parse(http.body(), yaml, of.kind(), true);
    }

    /** Reads the body that is to be applied. */
    static ObjectNode configuration(ResourceRequest request) {
        ResourceType type = request.type();
        ObjectNode configuration = (ObjectNode) parse(request.http().body(), true, type.kind(), true);
        String kind = configuration.path("kind").asText();
        String apiVersion = configuration.path("apiVersion").asText();
        if (!kind.equals(type.kind()) || !apiVersion.equals(type.apiVersion())) {
            throw StatusException.badRequest("invalid object type: " + Meta.versionAndKind(configuration));
        }
        if (configuration.path("metadata").hasNonNull("managedFields")) {
            throw StatusException.badRequest("metadata.managedFields must be nil");
        }
        return configuration;
    }

    /** Reads the body that a deletion comes with. Of which version it says that it is does not matter. */
    static ObjectNode deleteOptions(Request http) {
        ResourceType type = BuiltIns.all().deleteOptions();
        ObjectNode options = body(http, type);
        String kind = options.path("kind").asText("");
        String wrong = List.of("", type.kind()).contains(kind)
                ? TypeCheck.decode(options, type.schema())
                : "no kind \"" + kind + "\" is registered";
        if (wrong != null) {
            throw StatusException.badRequest(wrong);
        }
        return options;
    }

    private static ObjectNode protobuf(Request http, String apiVersion, String kind) {
        try {
            return ProtobufReader.read(http.body(), apiVersion, kind);
        } catch (IOException e) {
            throw StatusException.badRequest(
                    "the object provided is unrecognized (must be of type " + kind + "): " + e.getMessage());
        }
    }

    /** Reads a body, or refuses it. Null is an object without fields, as it is to Go's decoder. */
    static JsonNode parse(byte[] body, boolean yaml, String kind, boolean objectOnly) {
        JsonNode node;
        try {
            node = yaml ? Json.readYaml(body) : Json.read(body);
        } catch (IOException e) {
            throw unrecognized(kind, String.valueOf(e.getMessage()));
        }
        if (node != null && node.isNull() && objectOnly) {
            return Json.object();
        }
        if (node == null || node.isMissingNode() || (objectOnly && !node.isObject())) {
            throw unrecognized(kind, "expected an object");
        }
        return node;
    }

    private static StatusException unrecognized(String kind, String why) {
        return StatusException.badRequest("the object provided is unrecognized (must be of type " + kind
                + "): couldn't get version/kind; json parse error: " + why);
    }

    /** Fits an object in place that a webhook has changed. */
    static void refit(ResourceType type, ObjectNode object) {
        String mismatch = type.isCustom() ? null : TypeCheck.decode(object, type.schema());
        if (mismatch != null) {
            throw StatusException.internal(mismatch);
        }
        Pruning.prune(object, type.schema());
        if (type.isCustom()) {
            Pruning.dropNulls(object, type.schema());
        }
    }

    /**
     * Fits an object to its type in place.
     *
     * @return warnings of fields that are not known
     * @throws StatusException 400 for an object of another type, for values of the wrong type, and for unknown fields
     *     under {@code fieldValidation=Strict}
     */
    static List<String> fit(ResourceRequest request, ObjectNode object) {
        ResourceType type = request.type();
        String kind = object.path("kind").asText("");
        String apiVersion = object.path("apiVersion").asText("");
        if ((!kind.isEmpty() && !kind.equals(type.kind()))
                || (!apiVersion.isEmpty() && !apiVersion.equals(type.apiVersion()))) {
            throw StatusException.badRequest(kind + " in version \"" + apiVersion + "\" cannot be handled as a "
                    + type.kind() + ": the API version in the data (" + apiVersion
                    + ") does not match the expected API version (" + type.apiVersion() + ")");
        }
        if (type.isCustom() && (kind.isEmpty() || apiVersion.isEmpty())) {
            throw StatusException.badRequest("the object provided is unrecognized (must be of type " + type.kind()
                    + "): Object 'Kind' is missing in '" + object + "'");
        }
        object.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        String cannot =
                type.kind() + " in version \"" + type.version() + "\" cannot be handled as a " + type.kind() + ": ";
        if (!object.hasNonNull("metadata")) {
            object.putObject("metadata");
        }
        String mismatch =
                TypeCheck.decode(object.path("metadata"), type.schema().at("metadata"));
        if (mismatch == null && !type.isCustom()) {
            mismatch = TypeCheck.decode(object, type.schema());
        }
        if (mismatch != null) {
            throw StatusException.badRequest(cannot + mismatch);
        }
        boolean isText = !MediaTypes.ofBody(request.http()).equals(MediaTypes.PROTOBUF);
        List<String> wrong = new ArrayList<>(isText ? duplicates(request.http()) : List.of());
        Pruning.prune(object, type.schema()).forEach(field -> wrong.add("unknown field \"" + field + "\""));
        if (type.isCustom()) {
            Pruning.dropNulls(object, type.schema());
        }
        String validation = request.http().parameter("fieldValidation");
        if (!FIELD_VALIDATIONS.contains(validation)) {
            throw request.unsupported("fieldValidation", validation, FIELD_VALIDATIONS);
        }
        if (validation.equals("Strict") && !wrong.isEmpty()) {
            throw StatusException.badRequest(cannot + "strict decoding error: " + String.join(", ", wrong));
        }
        List<String> warnings = new ArrayList<>();
        if (!type.inert().isEmpty()) {
            warnings.add("the embedded API server " + type.inert());
        }
        if (!validation.equals("Ignore")) {
            warnings.addAll(wrong);
        }
        return warnings;
    }
}

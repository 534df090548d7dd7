package io.controllermanager.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.primitives.Bytes;
import io.controllermanager.apiserver.http.MediaTypes;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.rest.Versions;
import io.controllermanager.apiserver.storage.StoredObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.MediaType;

/** How a request wants its answer, by its {@code Accept} header. Each request has its own. */
public final class Representation {

    private enum Shape {
        OBJECT,
        METADATA,
        METADATA_LIST,
        TABLE
    }

    private static final Map<String, Shape> SHAPES = Map.of(
            "", Shape.OBJECT,
            "Table", Shape.TABLE,
            "PartialObjectMetadata", Shape.METADATA,
            "PartialObjectMetadataList", Shape.METADATA_LIST);

    private final Shape shape;
    private final boolean yaml;
    private final Tables tables;
    /** Whether this watch's tables have said what their columns are. */
    private boolean columnsSent;

    private Representation(Shape shape, boolean yaml, Tables tables) {
        this.shape = shape;
        this.yaml = yaml;
        this.tables = tables;
    }

    /** Reads what a request wants; 406 if all that it takes is something else, such as CBOR. */
    public static Representation of(Request request) {
        String accept = request.header("Accept");
        for (MediaType type : MediaTypes.of(accept.isBlank() ? MediaTypes.JSON : accept)) {
            Shape shape = SHAPES.get(Objects.requireNonNullElse(type.parameter("as"), ""));
            String version = Objects.requireNonNullElse(type.parameter("v"), "");
            Tables tables = new Tables("meta.k8s.io/" + version, request.parameter("includeObject"), request.clock());
            boolean known = shape == Shape.OBJECT || List.of("v1", "v1beta1").contains(version);
            if (MediaTypes.takesJson(type) && shape != null && known) {
                return new Representation(shape, false, tables);
            } else if (MediaTypes.isYaml(MediaTypes.name(type))) {
                return new Representation(Shape.OBJECT, true, tables);
            }
        }
        throw StatusException.notAcceptable();
    }

    /** An answer that is no resource's object. */
    public Response document(int code, JsonNode document, List<String> warnings) {
        return answer(code, Json.write(document), warnings);
    }

    public Response one(ResourceType type, StoredObject object) {
        return shape == Shape.OBJECT && type.converter() == null
                ? answer(200, Versions.json(object, type), List.of())
                : one(200, type, Versions.tree(object, type), List.of());
    }

    public Response one(int code, ResourceType type, ObjectNode object, List<String> warnings) {
        if (shape == Shape.METADATA_LIST) {
            throw StatusException.notAcceptable();
        }
        return answer(code, Json.write(shaped(type, object)), warnings);
    }

    private ObjectNode shaped(ResourceType type, ObjectNode object) {
        ObjectNode metadata = Json.object().put("resourceVersion", Meta.resourceVersion(object));
        return shaped(type, object, List.of(object), metadata);
    }

    private ObjectNode shaped(ResourceType type, ObjectNode object, List<ObjectNode> rows, ObjectNode metadata) {
        return switch (shape) {
            case OBJECT -> object;
            case METADATA, METADATA_LIST -> tables.metadata(object);
            case TABLE -> tables.of(type, rows, metadata);
        };
    }

    /** A list; one of tables or of metadata alone does not say of which shards it is. */
    public Response list(ResourceType type, List<StoredObject> objects, ObjectNode metadata) {
        if (shape == Shape.METADATA) {
            throw StatusException.notAcceptable();
        } else if (shape != Shape.OBJECT) {
            metadata.remove("shardInfo");
        }
        Versions.prepare(objects, type);
        if (shape == Shape.TABLE) {
            List<ObjectNode> trees =
                    objects.stream().map(object -> Versions.shown(object, type)).toList();
            return answer(200, Json.write(tables.of(type, trees, metadata)), List.of());
        }
        boolean whole = shape == Shape.OBJECT;
        ByteArrayOutputStream out = new ByteArrayOutputStream(256
                + objects.stream().mapToInt(object -> object.json().length + 1).sum());
        out.writeBytes(utf8("{\"kind\":\"" + (whole ? type.listKind() : "PartialObjectMetadataList")
                + "\",\"apiVersion\":\"" + (whole ? type.apiVersion() : tables.apiVersion()) + "\",\"metadata\":"
                + metadata + ",\"items\":["));
        // In a list, objects of built-in types do not say what they are.
        String head = "\"kind\":\"" + type.kind() + "\",\"apiVersion\":\"" + type.apiVersion() + "\",";
        int left = whole && !type.isCustom() ? head.length() : 0;
        String before = "{";
        for (StoredObject object : objects) {
            out.writeBytes(utf8(before));
            byte[] item =
                    whole ? Versions.json(object, type) : Json.write(tables.metadata(Versions.metadata(object, type)));
            out.write(item, 1 + left, item.length - 1 - left);
            before = ",{";
        }
        out.writeBytes(utf8("]}"));
        return answer(200, out.toByteArray(), List.of());
    }

    /** One event of a watch. */
    public byte[] event(String kind, ResourceType type, StoredObject object) {
        return shape == Shape.OBJECT
                ? event(kind, Versions.json(object, type))
                : event(kind, Json.write(inStream(shaped(type, Versions.shown(object, type)))));
    }

    /** The event that tells how far a watch has come. */
    public byte[] bookmark(ResourceType type, long version, boolean endOfInitialEvents) {
        ObjectNode object = Json.object().put("kind", type.kind()).put("apiVersion", type.apiVersion());
        ObjectNode metadata = object.putObject("metadata").put("resourceVersion", Long.toString(version));
        if (endOfInitialEvents) {
            metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return event("BOOKMARK", Json.write(inStream(shaped(type, object, List.of(), metadata))));
    }

    private JsonNode inStream(ObjectNode object) {
        if (shape == Shape.TABLE && columnsSent) {
            object.putNull("columnDefinitions");
        }
        columnsSent = true;
        return object;
    }

    /** The event that ends a watch which cannot go on. */
    public byte[] error(StatusException e) {
        return event("ERROR", Json.write(e.status()));
    }

    private static byte[] event(String kind, byte[] json) {
        return Bytes.concat(utf8("{\"type\":\"" + kind + "\",\"object\":"), json, utf8("}\n"));
    }

    private Response answer(int code, byte[] json, List<String> warnings) {
        return yaml
                ? new Response.Document(code, Json.writeYaml(Json.readOwn(json)), MediaTypes.YAML, warnings)
                : new Response.Document(code, json, MediaTypes.JSON, warnings);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

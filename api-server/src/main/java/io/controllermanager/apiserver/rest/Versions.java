package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.schema.Defaults;
import io.controllermanager.apiserver.schema.Pruning;
import io.controllermanager.apiserver.schema.Schema;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.Map;

/**
 * Shows a stored object in the version that is asked for, and as its type is now. A custom resource gets the defaults of the
 * version that it was stored in, and loses what that version or the one that is asked for does not know ({@code conversion:
 * None}; apiextensions-apiserver, pkg/apiserver/customresource_handler.go). Events are the same objects in two groups, under
 * different field names; and there are {@link Autoscalers}.
 */
public final class Versions {

    private static final Map<String, String> CORE_TO_EVENTS = Map.of(
            "involvedObject", "regarding",
            "message", "note",
            "firstTimestamp", "deprecatedFirstTimestamp",
            "lastTimestamp", "deprecatedLastTimestamp",
            "count", "deprecatedCount",
            "source", "deprecatedSource",
            "reportingComponent", "reportingController");

    private Versions() {}

    /** The object's text in a version. */
    public static byte[] json(StoredObject object, ResourceType type) {
        return isStoredAs(type) ? object.json() : object.json(type, tree -> read(tree, type));
    }

    /** A tree of the object in a version, for the caller to keep. */
    public static ObjectNode tree(StoredObject object, ResourceType type) {
        return Json.readOwn(json(object, type));
    }

    private static ObjectNode read(ObjectNode tree, ResourceType type) {
        if (isEvent(type)) {
            CORE_TO_EVENTS.forEach((core, events) -> rename(tree, core, events));
        } else if (isAutoscaler(type) && !isStoredAs(type)) {
            Autoscalers.toV1(tree);
        }
        String[] written = tree.path("apiVersion").asText().split("/", 2);
        Schema schema = type.schemas().get(written[written.length - 1]);
        if (schema != null) {
            fit(tree, schema, type);
            Defaults.apply(tree, schema);
        }
        tree.put("apiVersion", type.apiVersion());
        if (type.isCustom() && schema != type.schema()) {
            fit(tree, type.schema(), type);
        }
        return tree;
    }

    private static void fit(ObjectNode tree, Schema schema, ResourceType type) {
        Pruning.prune(tree, schema, type.metadata());
        Pruning.dropNulls(tree, schema);
    }

    /** What is read of an object of this version once it is stored. */
    static ObjectNode kept(ObjectNode object, ResourceType type) {
        return read(stored(object, type), type);
    }

    /** What is stored of an object of this version. */
    static ObjectNode stored(ObjectNode object, ResourceType type) {
        ObjectNode tree = object.deepCopy();
        if (isEvent(type)) {
            CORE_TO_EVENTS.forEach((core, events) -> rename(tree, events, core));
            tree.put("apiVersion", "v1");
        } else {
            tree.put("apiVersion", ResourceType.apiVersion(type.group(), type.storageVersion()));
            if (isAutoscaler(type) && !isStoredAs(type)) {
                Autoscalers.toV2(tree);
            }
            Schema schema = type.schemas().get(type.storageVersion());
            if (schema != null && schema != type.schema()) {
                fit(tree, schema, type);
            }
        }
        return tree;
    }

    /** What is judged of an object of this version; of an Event it is told in core's words, but for one. */
    static ObjectNode judged(ObjectNode object, ResourceType type) {
        if (!isEvent(type)) {
            return object;
        }
        ObjectNode tree = stored(object, type);
        rename(tree, "reportingComponent", "reportingController");
        return tree;
    }

    private static boolean isStoredAs(ResourceType type) {
        return type.version().equals(type.storageVersion()) && !isEvent(type) && !type.isCustom();
    }

    private static boolean isEvent(ResourceType type) {
        return type.is("events.k8s.io", "events");
    }

    private static boolean isAutoscaler(ResourceType type) {
        return type.is("autoscaling", "horizontalpodautoscalers");
    }

    private static void rename(ObjectNode tree, String from, String to) {
        JsonNode value = tree.remove(from);
        if (value != null) {
            tree.set(to, value);
        }
    }
}

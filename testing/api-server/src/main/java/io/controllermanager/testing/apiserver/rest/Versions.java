package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import java.util.Map;

/**
 * Shows a stored object in the version that is asked for. Versions of a custom resource differ in their name only
 * ({@code conversion: None}); Events are the same objects in two groups, under different field names; and there are {@link
 * Autoscalers}.
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
        return isStoredAs(type) ? object.json() : Json.write(tree(object, type));
    }

    /** A tree of the object in a version, for the caller to keep. */
    public static ObjectNode tree(StoredObject object, ResourceType type) {
        ObjectNode tree = object.tree();
        if (!isStoredAs(type)) {
            tree.put("apiVersion", type.apiVersion());
            if (isEvent(type)) {
                CORE_TO_EVENTS.forEach((core, events) -> rename(tree, core, events));
            } else if (isAutoscaler(type)) {
                Autoscalers.toV1(tree);
            }
        }
        return tree;
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
        }
        return tree;
    }

    private static boolean isStoredAs(ResourceType type) {
        return type.version().equals(type.storageVersion()) && !isEvent(type);
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

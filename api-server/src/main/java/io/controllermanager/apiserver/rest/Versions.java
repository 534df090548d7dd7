package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Lists;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.patch.FieldOwnership;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.schema.Defaults;
import io.controllermanager.apiserver.schema.Pruning;
import io.controllermanager.apiserver.schema.Schema;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.webhook.ConversionWebhook;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows a stored object in the version that is asked for, and as its type is now. A custom resource gets the defaults of the
 * version that it was stored in, and loses what that version or the one that is asked for does not know; between the two a
 * webhook may convert it (apiextensions-apiserver, pkg/apiserver/customresource_handler.go). Events are the same objects in
 * two groups, under different field names; and there are {@link Autoscalers}.
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

    /** As many as a page of a list has. */
    private static final int BATCH = 500;

    private Versions() {}

    /** The object's text in a version. */
    public static byte[] json(StoredObject object, ResourceType type) {
        return isStoredAs(type) ? object.json() : object.json(type, tree -> read(tree, type));
    }

    /** A tree of the text, for the caller to keep. */
    public static ObjectNode shown(StoredObject object, ResourceType type) {
        return Json.readOwn(json(object, type));
    }

    /** A tree of which the metadata alone counts. */
    public static ObjectNode metadata(StoredObject object, ResourceType type) {
        return type.converter() == null ? object.tree() : shown(object, type);
    }

    /** The same tree as a get sees it: where a webhook converts, it is asked now. */
    public static ObjectNode tree(StoredObject object, ResourceType type) {
        return type.converter() == null ? shown(object, type) : read(object.tree(), type);
    }

    /** Converts objects of which the text will be asked for, many with one call of the webhook. */
    public static void prepare(List<StoredObject> objects, ResourceType type) {
        ConversionWebhook converter = type.converter();
        if (converter == null) {
            return;
        }
        List<StoredObject> others = objects.stream()
                .filter(object -> !object.isReadBy(type) && !isOf(type, object.tree()))
                .toList();
        for (List<StoredObject> some : Lists.partition(others, BATCH)) {
            List<ObjectNode> trees =
                    some.stream().map(object -> written(object.tree(), type)).toList();
            Iterator<ObjectNode> converted =
                    converter.convert(trees, type.apiVersion()).iterator();
            some.forEach(object -> {
                ObjectNode tree = converted.next();
                object.json(type, stored -> fit(tree, type.schema()));
            });
        }
    }

    private static ObjectNode read(ObjectNode tree, ResourceType type) {
        if (isEvent(type)) {
            CORE_TO_EVENTS.forEach((core, events) -> rename(tree, core, events));
        } else if (isAutoscaler(type) && !isStoredAs(type)) {
            Autoscalers.toV1(tree);
        }
        written(tree, type);
        boolean custom = type.isCustom() && !isOf(type, tree);
        ObjectNode converted = converted(tree, type, type.apiVersion());
        return custom ? fit(converted, type.schema()) : converted;
    }

    /** An object as the version has it that it was stored in. */
    private static ObjectNode written(ObjectNode tree, ResourceType type) {
        String[] written = tree.path("apiVersion").asText().split("/", 2);
        Schema schema = type.schemas().get(written[written.length - 1]);
        if (schema != null) {
            fit(tree, schema);
            Defaults.apply(tree, schema);
        }
        return tree;
    }

    /** An object of one version as it is in another: by the webhook, or else the same. */
    static ObjectNode converted(ObjectNode tree, ResourceType type, String apiVersion) {
        ConversionWebhook converter = type.converter();
        return converter == null || tree.path("apiVersion").asText().equals(apiVersion)
                ? tree.put("apiVersion", apiVersion)
                : converter.convert(List.of(tree), apiVersion).get(0);
    }

    /** An object of one version of a resource as it is in another. The one given may be changed. */
    public static ObjectNode converted(ObjectNode tree, ResourceType from, ResourceType to) {
        return from.isCustom() ? converted(tree, from, to.apiVersion()) : read(stored(tree, from), to);
    }

    /** How objects of a type look in its other versions; null where fields are called the same in all. */
    static FieldOwnership.@Nullable Views views(ResourceType type) {
        return type.converter() == null
                ? null
                : (object, version) -> type.schemas().containsKey(version.substring(version.indexOf('/') + 1))
                        ? converted(object.deepCopy(), type, version)
                        : null;
    }

    private static boolean isOf(ResourceType type, ObjectNode tree) {
        return tree.path("apiVersion").asText().equals(type.apiVersion());
    }

    private static ObjectNode fit(ObjectNode tree, Schema schema) {
        Pruning.prune(tree, schema);
        Pruning.dropNulls(tree, schema);
        return tree;
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
            return tree.put("apiVersion", "v1");
        }
        if (isAutoscaler(type) && !isStoredAs(type)) {
            Autoscalers.toV2(tree);
        }
        ObjectNode converted = converted(tree, type, ResourceType.apiVersion(type.group(), type.storageVersion()));
        Schema schema = type.schemas().get(type.storageVersion());
        return schema == null || schema == type.schema() ? converted : fit(converted, schema);
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

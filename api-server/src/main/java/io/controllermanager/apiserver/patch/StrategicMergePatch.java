package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Strategic merge patch with its directives (apimachinery, util/strategicpatch), for types whose schema tells the keys. */
public final class StrategicMergePatch {

    private static final String PATCH = "$patch";
    private static final String DELETE_FROM = "$deleteFromPrimitiveList/";
    private static final String ORDER = "$setElementOrder/";
    private static final String RETAIN = "$retainKeys";

    private StrategicMergePatch() {}

    /** Gives the patched object; the one given may be changed. */
    public static ObjectNode apply(ObjectNode target, ObjectNode patch, Schema schema) {
        String directive = patch.path(PATCH).asText("");
        if (directive.equals("delete")) {
            return Json.object();
        }
        if (!Set.of("", "replace").contains(directive)) {
            throw StatusException.of(500, "", "unknown patch type: " + directive + " in map: " + patch);
        }
        ObjectNode result = directive.equals("replace") ? Json.object() : target;
        ObjectNode original = Json.object().setAll(result);
        if (patch.has(RETAIN)) {
            result.retain(Json.texts(patch.path(RETAIN)));
        }
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            String name = change.getKey();
            if (name.startsWith(DELETE_FROM)) {
                removeValues(result, name.substring(DELETE_FROM.length()), change.getValue());
            } else if (!name.startsWith("$")) {
                set(result, name, change.getValue(), schema.at(name));
            }
        }
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            if (change.getKey().startsWith(ORDER)) {
                String name = change.getKey().substring(ORDER.length());
                if (result.get(name) instanceof ArrayNode list && schema.under(name) != null) {
                    String key = schema.at(name).mergeKey();
                    result.set(name, ordered(list, change.getValue(), original.path(name), key));
                }
            }
        }
        return result;
    }

    private static void set(ObjectNode result, String name, JsonNode change, Schema known) {
        if (change.isNull()) {
            result.remove(name);
        } else if (change instanceof ObjectNode object) {
            ObjectNode present = result.get(name) instanceof ObjectNode old ? old : Json.object();
            ObjectNode merged = apply(present, object, known);
            if (object.path(PATCH).asText("").equals("delete")) {
                result.remove(name);
            } else {
                result.set(name, merged);
            }
        } else if (change instanceof ArrayNode array && known.isMergedByPatch()) {
            ArrayNode present = result.get(name) instanceof ArrayNode old ? old : Json.array();
            String key = known.mergeKey();
            ArrayNode merged = key.isEmpty() ? union(present, array) : merge(present, array, known);
            result.set(name, ordered(merged, array, present, key));
        } else {
            result.set(name, change);
        }
    }

    /** What is in either list, each once. */
    static ArrayNode union(ArrayNode present, ArrayNode added) {
        Set<JsonNode> values = new LinkedHashSet<>(Json.list(present));
        values.addAll(Json.list(added));
        return Json.array().addAll(values);
    }

    private static ArrayNode merge(ArrayNode present, ArrayNode changes, Schema schema) {
        String key = schema.mergeKey();
        boolean replace = Json.list(changes).stream()
                .anyMatch(change -> change.path(PATCH).asText("").equals("replace") && !change.has(key));
        List<JsonNode> items = replace ? new ArrayList<>() : Json.list(present);
        for (JsonNode change : changes) {
            if (!(change instanceof ObjectNode object)) {
                throw StatusException.badRequest("map: unexpected element in a list merged by " + key);
            }
            String directive = object.path(PATCH).asText("");
            if (directive.equals("replace") && !object.has(key)) {
                continue;
            }
            if (!object.has(key)) {
                throw StatusException.badRequest("map: " + object + " does not contain declared merge key: " + key);
            }
            int at = find(items, key, object);
            if (directive.equals("delete")) {
                items.removeIf(item -> item.path(key).equals(object.path(key)));
            } else if (at < 0) {
                items.add(apply(Json.object(), object, schema.items()));
            } else {
                items.set(at, apply((ObjectNode) items.get(at), object, schema.items()));
            }
        }
        return Json.array().addAll(items);
    }

    /** Where the element is that another one means, by its key or itself; -1 if there is none. */
    private static int find(Iterable<JsonNode> items, String key, JsonNode other) {
        return Iterables.indexOf(
                items,
                item -> key.isEmpty() ? item.equals(other) : item.path(key).equals(other.path(key)));
    }

    private static void removeValues(ObjectNode result, String name, JsonNode values) {
        if (result.get(name) instanceof ArrayNode list) {
            List<JsonNode> kept = Json.list(list);
            kept.removeAll(Json.list(values));
            result.set(name, Json.array().addAll(kept));
        }
    }

    /**
     * The elements that the client names, in its order, among those that it does not know of. Each of these comes before the
     * next named one that it was before; new ones come first.
     */
    private static ArrayNode ordered(ArrayNode list, JsonNode order, JsonNode before, String key) {
        List<JsonNode> others = Json.list(list);
        List<JsonNode> named = new ArrayList<>();
        for (JsonNode wanted : order) {
            int at = find(others, key, wanted);
            if (at >= 0) {
                named.add(others.remove(at));
            }
        }
        ArrayNode result = Json.array();
        for (JsonNode next : named) {
            int was = find(before, key, next);
            while (!others.isEmpty() && find(before, key, others.get(0)) < was) {
                result.add(others.remove(0));
            }
            result.add(next);
        }
        return result.addAll(others);
    }
}

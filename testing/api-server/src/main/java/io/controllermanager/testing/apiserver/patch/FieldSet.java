package io.controllermanager.testing.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.schema.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set of fields by their leaves' paths. A path's elements are FieldsV1's: {@code f:name} for a field, {@code k:{…}} for
 * an element of a list that is a map, {@code v:…} for one of a set, {@code .} for such an element itself.
 *
 * @param paths in the order of the object that they were read from
 */
record FieldSet(Set<List<String>> paths) {

    /** What the server sets, and nobody manages. */
    private static final Set<List<String>> UNMANAGED = Set.of(
            List.of("f:apiVersion"),
            List.of("f:kind"),
            List.of("f:metadata", "f:name"),
            List.of("f:metadata", "f:namespace"),
            List.of("f:metadata", "f:uid"),
            List.of("f:metadata", "f:resourceVersion"),
            List.of("f:metadata", "f:generation"),
            List.of("f:metadata", "f:creationTimestamp"),
            List.of("f:metadata", "f:deletionTimestamp"),
            List.of("f:metadata", "f:deletionGracePeriodSeconds"),
            List.of("f:metadata", "f:managedFields"),
            List.of("f:metadata", "f:selfLink"));

    /** The fields that an object has. */
    static FieldSet of(ObjectNode object, Schema schema, Schema metadata) {
        FieldSet set = new FieldSet(new LinkedHashSet<>());
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String name = field.getKey();
            Schema under = name.equals("metadata") ? metadata : schema.at(name);
            set.collect(List.of("f:" + name), field.getValue(), under);
        }
        set.paths.removeAll(UNMANAGED);
        set.paths.remove(List.of("f:metadata"));
        return set;
    }

    private void collect(List<String> path, JsonNode value, Schema schema) {
        if (UNMANAGED.contains(path)) {
            return;
        }
        if (value instanceof ObjectNode object && !object.isEmpty() && !schema.isAtomicMap()) {
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                collect(with(path, "f:" + field.getKey()), field.getValue(), schema.at(field.getKey()));
            }
        } else if (value instanceof ArrayNode list
                && !list.isEmpty()
                && !schema.mapKeys().isEmpty()) {
            for (JsonNode item : list) {
                List<String> element = with(path, key(item, schema));
                if (item.isObject() && !schema.items().isAtomicMap()) {
                    paths.add(with(element, "."));
                    collect(element, item, schema.items());
                } else {
                    paths.add(element);
                }
            }
        } else if (value instanceof ArrayNode list && !list.isEmpty() && schema.isSet()) {
            list.forEach(item -> paths.add(with(path, "v:" + item)));
        } else {
            paths.add(path);
        }
    }

    /** How an element of a list is named. */
    static String key(JsonNode item, Schema schema) {
        ObjectNode key = Json.object();
        for (String name : schema.mapKeys()) {
            Schema property = schema.items().property(name);
            JsonNode initial = property == null ? null : property.defaultValue();
            JsonNode value = item.get(name);
            if (value != null) {
                key.set(name, value);
            } else if (initial != null) {
                key.set(name, initial);
            } else {
                key.put(name, "");
            }
        }
        return "k:" + key;
    }

    /** The elements of a path such as {@code .spec.replicas}. */
    static List<String> path(String path) {
        return Arrays.stream((path.startsWith(".") ? path.substring(1) : path).split("\\.", -1))
                .map(name -> "f:" + name)
                .toList();
    }

    static List<String> with(List<String> path, String element) {
        List<String> longer = new ArrayList<>(path);
        longer.add(element);
        return List.copyOf(longer);
    }

    /**
     * Reads an entry's FieldsV1. What is of a kind that is not known is left out, and so is a map or list itself beside its
     * leaves.
     *
     * @throws IllegalArgumentException if something in it names no field
     */
    static FieldSet read(JsonNode fields) {
        FieldSet set = new FieldSet(new LinkedHashSet<>());
        set.read(List.of(), fields);
        return set;
    }

    private void read(List<String> path, JsonNode fields) {
        if (fields.isEmpty() && !path.isEmpty()) {
            paths.add(path);
        }
        fields.properties().forEach(field -> {
            if (isElement(path, field.getKey())) {
                read(with(path, field.getKey()), field.getValue());
            }
        });
    }

    private static boolean isElement(List<String> path, String name) {
        if (name.equals(".")) {
            return !path.isEmpty() && path.get(path.size() - 1).startsWith("k:");
        }
        if (name.length() < 2 || name.charAt(1) != ':') {
            throw new IllegalArgumentException(name);
        }
        if ("kv".indexOf(name.charAt(0)) >= 0) {
            parse(name.substring(2));
            return true;
        }
        return name.startsWith("f:");
    }

    ObjectNode write() {
        ObjectNode root = Json.object();
        for (List<String> path : paths) {
            ObjectNode at = root;
            for (String element : path) {
                at = Json.child(at, element);
            }
        }
        return root;
    }

    /** What stands at a path; null if there is nothing. */
    static @Nullable JsonNode value(JsonNode object, List<String> path) {
        JsonNode at = object;
        for (String element : path) {
            if (element.equals(".")) {
                return at;
            }
            JsonNode next = step(at, element);
            if (next == null) {
                return null;
            }
            at = next;
        }
        return at;
    }

    private static @Nullable JsonNode step(JsonNode at, String element) {
        if (element.startsWith("f:")) {
            return at.get(element.substring(2));
        }
        int index = index(at, element);
        return index < 0 ? null : at.get(index);
    }

    private static int index(JsonNode list, String element) {
        JsonNode wanted = parse(element.substring(2));
        int exact = index(list, element, wanted, false);
        // A key that is left out has its default.
        return exact >= 0 ? exact : index(list, element, wanted, true);
    }

    private static int index(JsonNode list, String element, JsonNode wanted, boolean mayLeaveOut) {
        for (int i = 0; i < list.size(); i++) {
            JsonNode item = list.get(i);
            boolean same = element.startsWith("v:")
                    ? item.equals(wanted)
                    : wanted.properties().stream()
                            .allMatch(key -> (mayLeaveOut && !item.has(key.getKey()))
                                    || item.path(key.getKey()).equals(key.getValue()));
            if (same) {
                return i;
            }
        }
        return -1;
    }

    /** Takes a field away, and the objects that are empty without it. */
    static void remove(JsonNode object, List<String> path) {
        String first = path.get(0);
        if (path.size() == 1 || path.get(1).equals(".")) {
            if (object instanceof ObjectNode map) {
                map.remove(first.substring(2));
            } else if (object instanceof ArrayNode list) {
                int index = index(list, first);
                if (index >= 0) {
                    list.remove(index);
                }
            }
            return;
        }
        JsonNode next = step(object, first);
        if (next != null) {
            remove(next, path.subList(1, path.size()));
            if (next.isEmpty() && object instanceof ObjectNode map) {
                map.remove(first.substring(2));
            }
        }
    }

    /** A path as people write it: {@code .spec.containers[name="a"].image}. */
    static String text(List<String> path) {
        StringBuilder text = new StringBuilder();
        for (String element : path) {
            if (element.startsWith("f:")) {
                text.append('.').append(element, 2, element.length());
            } else if (element.startsWith("k:")) {
                List<String> keys = new ArrayList<>();
                parse(element.substring(2)).properties().forEach(key -> keys.add(key.getKey() + "=" + key.getValue()));
                text.append('[').append(String.join(",", keys)).append(']');
            } else if (element.startsWith("v:")) {
                text.append("[=").append(element, 2, element.length()).append(']');
            }
        }
        return text.toString();
    }

    private static JsonNode parse(String json) {
        try {
            return Json.read(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }
}

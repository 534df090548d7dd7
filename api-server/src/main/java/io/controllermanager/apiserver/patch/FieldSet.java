package io.controllermanager.apiserver.patch;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A set of fields by their leaves' paths. A path's elements are FieldsV1's: {@code f:name} for a field, {@code k:{…}} for
 * an element of a list that is a map, {@code v:…} for one of a set, {@code .} for such an element itself.
 *
 * @param paths in the order of the object that they were read from
 */
record FieldSet(Set<List<String>> paths) {

    /** What the server sets, and nobody manages. */
    private static final Set<List<String>> UNMANAGED = Stream.of(("apiVersion kind metadata.name metadata.namespace"
                            + " metadata.uid metadata.resourceVersion metadata.generation metadata.creationTimestamp"
                            + " metadata.deletionTimestamp metadata.deletionGracePeriodSeconds metadata.managedFields"
                            + " metadata.selfLink")
                    .split(" "))
            .map(FieldSet::path)
            .collect(Collectors.toUnmodifiableSet());

    /** The fields that an object has. */
    static FieldSet of(ObjectNode object, Schema schema) {
        FieldSet set = new FieldSet(new LinkedHashSet<>());
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            set.collect(List.of("f:" + field.getKey()), field.getValue(), schema.at(field.getKey()));
        }
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
            JsonNode otherwise = initial == null ? Json.text("") : initial;
            key.set(name, item.has(name) ? item.path(name) : otherwise);
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
        checkArgument(name.length() > 1 && name.charAt(1) == ':', "%s is no field", name);
        if ("kv".indexOf(name.charAt(0)) >= 0) {
            Json.parse(name.substring(2));
            return true;
        }
        return name.startsWith("f:");
    }

    /** In structured-merge-diff's order: an object's own fields come before what is in its fields. */
    static List<List<String>> sorted(Collection<List<String>> paths) {
        return paths.stream()
                .sorted((a, b) -> {
                    int i = 0;
                    while (i < a.size() - 1 && i < b.size() - 1 && a.get(i).equals(b.get(i))) {
                        i++;
                    }
                    boolean same = (i == a.size() - 1) == (i == b.size() - 1);
                    return same ? a.get(i).compareTo(b.get(i)) : i == a.size() - 1 ? -1 : 1;
                })
                .toList();
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
        for (int i = 0; i < path.size() && at != null && !path.get(i).equals("."); i++) {
            at = step(at, path.get(i));
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
        JsonNode wanted = Json.parse(element.substring(2));
        if (element.startsWith("v:")) {
            return Iterables.indexOf(list, wanted::equals);
        }
        int exact = Iterables.indexOf(list, item -> has(item, wanted, false));
        // A key that is left out has its default.
        return exact >= 0 ? exact : Iterables.indexOf(list, item -> has(item, wanted, true));
    }

    private static boolean has(JsonNode item, JsonNode keys, boolean mayLeaveOut) {
        return keys.properties().stream()
                .allMatch(key -> (mayLeaveOut && !item.has(key.getKey()))
                        || item.path(key.getKey()).equals(key.getValue()));
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
                Json.parse(element.substring(2))
                        .properties()
                        .forEach(key -> keys.add(key.getKey() + "=" + key.getValue()));
                text.append('[').append(String.join(",", keys)).append(']');
            } else if (element.startsWith("v:")) {
                text.append("[=").append(element, 2, element.length()).append(']');
            }
        }
        return text.toString();
    }
}

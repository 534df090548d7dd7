package io.controllermanager.client.internal.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the fields in which two states of an object differ, such as {@code spec.replicas} or {@code
 * status.conditions[Ready].status}. An element of a list is named by its {@code name} or {@code type}, or its number. What the API
 * server writes with each change is left out.
 */
public final class FieldPaths {

    /** More than these are counted. */
    public static final int MOST = 8;

    private static final Set<String> OF_EACH_CHANGE =
            Set.of("metadata.resourceVersion", "metadata.generation", "metadata.managedFields");

    /** It has all values once more. */
    private static final String LAST_APPLIED = "last-applied-configuration";

    private static final List<String> NAMES = List.of("name", "type");

    /** Of a value that is shown. */
    private static final int LONGEST_VALUE = 40;

    private final Set<String> found = new LinkedHashSet<>();
    private final boolean values;

    private FieldPaths(boolean values) {
        this.values = values;
    }

    /**
     * Compares two models, or trees of JSON; at most {@link #MOST} paths, and then how many there are more.
     *
     * @param values whether each path is followed by the values before and after
     */
    public static List<String> between(Object before, Object after, boolean values) {
        FieldPaths paths = new FieldPaths(values);
        paths.compare("", tree(before), tree(after));
        return first(paths.found);
    }

    /** As many paths as are shown, and how many there are more. */
    public static List<String> first(Collection<String> paths) {
        if (paths.size() <= MOST) {
            return List.copyOf(paths);
        }
        List<String> first = new ArrayList<>(paths.stream().limit(MOST).toList());
        first.add("+" + (paths.size() - MOST));
        return List.copyOf(first);
    }

    private static JsonElement tree(Object object) {
        return object instanceof JsonElement tree ? tree : ApiJson.tree(object);
    }

    private void compare(String path, @Nullable JsonElement before, @Nullable JsonElement after) {
        if (before == after || OF_EACH_CHANGE.contains(path)) {
            return;
        }
        if (before instanceof JsonObject one && after instanceof JsonObject other) {
            compareAll(path.isEmpty() ? "" : path + ".", "", one.asMap(), other.asMap());
        } else if (before instanceof JsonArray one && after instanceof JsonArray other) {
            compareAll(path + "[", "]", named(one), named(other));
        } else if (before == null || after == null || !MergeDiff.areSame(before, after)) {
            found.add(
                    values && !path.contains(LAST_APPLIED)
                            ? path + ": " + shown(before) + " -> " + shown(after)
                            : path);
        }
    }

    private static String shown(@Nullable JsonElement value) {
        String text = value == null ? "none" : value.toString();
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE - 1) + "…";
    }

    private void compareAll(
            String prefix, String suffix, Map<String, JsonElement> before, Map<String, JsonElement> after) {
        Set<String> names = new LinkedHashSet<>(before.keySet());
        names.addAll(after.keySet());
        names.forEach(name -> compare(prefix + name + suffix, before.get(name), after.get(name)));
    }

    /** A list's elements by their names; by their numbers where one has none, or the name of another. */
    private static Map<String, JsonElement> named(JsonArray list) {
        Map<String, JsonElement> elements = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            String name = name(list.get(i));
            elements.put(name == null || elements.containsKey(name) ? String.valueOf(i) : name, list.get(i));
        }
        return elements;
    }

    private static @Nullable String name(JsonElement element) {
        if (element instanceof JsonObject object) {
            for (String field : NAMES) {
                if (object.get(field) instanceof JsonPrimitive text && text.isString()) {
                    return text.getAsString();
                }
            }
        }
        return null;
    }
}

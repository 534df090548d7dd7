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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the fields in which two states of an object differ, such as {@code spec.replicas} or {@code
 * status.conditions[Ready].status}. An element of a list is named by its {@code name}, {@code type} or {@code uid}, or its
 * number. What the API server writes with each change is left out.
 */
public final class FieldPaths {

    /** More than these are counted. */
    public static final int MOST = 8;

    private static final Set<String> OF_EACH_CHANGE =
            Set.of("metadata.resourceVersion", "metadata.generation", "metadata.managedFields");

    /** It has all values once more. */
    private static final String LAST_APPLIED = "last-applied-configuration";

    /** Of elements of a list, the first that one has. */
    private static final List<String> NAMES = List.of("name", "type", "uid");

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-]+");

    /** Of a value that is shown. */
    private static final int LONGEST_VALUE = 40;

    private FieldPaths() {}

    /** Takes a field in which two states differ, with both of its values; null where it is missing. */
    @FunctionalInterface
    public interface Found {
        void add(String path, @Nullable JsonElement before, @Nullable JsonElement after);
    }

    /**
     * Compares two models, or trees of JSON; at most {@link #MOST} paths, and then how many there are more.
     *
     * @param values whether each path is followed by the values before and after
     */
    public static List<String> between(Object before, Object after, boolean values) {
        List<String> found = new ArrayList<>();
        compare(
                "",
                tree(before),
                tree(after),
                false,
                (path, from, to) -> found.add(
                        values && !path.contains(LAST_APPLIED)
                                ? path + ": " + shown(from) + " -> " + shown(to)
                                : path));
        return first(found);
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

    private static String shown(@Nullable JsonElement value) {
        String text = value == null ? "none" : value.toString();
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE - 1) + "…";
    }

    /**
     * Goes through the fields in which two states differ, in their order.
     *
     * @param path of both; empty for whole objects
     * @param single whether what one state lacks is told field by field; otherwise it is told as one
     */
    public static void compare(
            String path, @Nullable JsonElement before, @Nullable JsonElement after, boolean single, Found found) {
        // Most parts are equal: what they consist of need not be named.
        if (MergeDiff.areSame(before, after) || OF_EACH_CHANGE.contains(path)) {
            return;
        }
        boolean alike = before == null || after == null || before.getClass() == after.getClass();
        Map<String, JsonElement> from = alike ? parts(path, before, single) : null;
        Map<String, JsonElement> to = alike ? parts(path, after, single) : null;
        if (from == null || to == null || (from.isEmpty() && to.isEmpty())) {
            found.add(path, before, after);
            return;
        }
        Set<String> names = new LinkedHashSet<>(from.keySet());
        names.addAll(to.keySet());
        names.forEach(name -> compare(path + name, from.get(name), to.get(name), single, found));
    }

    /** What an object or a list consists of, by how that is written behind the path; null if it is not taken apart. */
    private static @Nullable Map<String, JsonElement> parts(
            String path, @Nullable JsonElement element, boolean single) {
        Map<String, JsonElement> parts = new LinkedHashMap<>();
        if (element instanceof JsonObject object) {
            String dot = path.isEmpty() ? "" : ".";
            object.asMap()
                    .forEach((name, field) ->
                            parts.put(PLAIN.matcher(name).matches() ? dot + name : "[" + name + "]", field));
        } else if (element instanceof JsonArray list) {
            for (int i = 0; i < list.size(); i++) {
                String name = "[" + name(list.get(i), i) + "]";
                // A number may be another element's name, too.
                for (int number = i; parts.containsKey(name); number += list.size()) {
                    name = "[" + number + "]";
                }
                parts.put(name, list.get(i));
            }
        } else if (element != null || !single) {
            return null;
        }
        return parts;
    }

    private static String name(JsonElement element, int number) {
        if (element instanceof JsonObject object) {
            for (String field : NAMES) {
                if (object.get(field) instanceof JsonPrimitive text && text.isString()) {
                    return text.getAsString();
                }
            }
        }
        return String.valueOf(number);
    }
}

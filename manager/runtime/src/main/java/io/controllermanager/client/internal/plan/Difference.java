package io.controllermanager.client.internal.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.json.MergeDiff;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One field in which two states of an object differ. What a Secret holds is hidden, and so is what {@code kubectl apply} has noted
 * of an object. What the API server alone writes is left out.
 *
 * @param field its path, such as {@code spec.containers[web].image}
 * @param before its value, null if it was not there
 * @param after the same of the later state
 */
public record Difference(
        String field,
        @Nullable JsonElement before,
        @Nullable JsonElement after) {

    private static final JsonElement HIDDEN = new JsonPrimitive("(hidden)");

    private static final Set<String> SECRET_DATA = Set.of("data", "stringData");

    private static final String LAST_APPLIED = "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]";

    /**
     * All differences, in the order of the fields; null is a state in which there is no object.
     *
     * @param secret whether it is a Secret, whose data is hidden
     */
    public static List<Difference> between(@Nullable JsonObject before, @Nullable JsonObject after, boolean secret) {
        List<Difference> found = new ArrayList<>();
        JsonObject from = PlannedObject.clean(before);
        JsonObject to = PlannedObject.clean(after);
        if (before == null || after == null) {
            Set.of("apiVersion", "kind").forEach(name -> {
                from.remove(name);
                to.remove(name);
            });
        }
        compare("", from, to, found);
        return found.stream().map(one -> one.shown(secret)).toList();
    }

    private Difference shown(boolean secret) {
        boolean hidden = field.equals(LAST_APPLIED) || (secret && SECRET_DATA.contains(field.split("[.\\[]", 2)[0]));
        return hidden ? new Difference(field, before == null ? null : HIDDEN, after == null ? null : HIDDEN) : this;
    }

    private static void compare(
            String path, @Nullable JsonElement before, @Nullable JsonElement after, List<Difference> found) {
        Map<String, JsonElement> from = parts(path, before);
        Map<String, JsonElement> to = parts(path, after);
        boolean leaf = (before != null && from == null) || (after != null && to == null);
        boolean empty = (before == null || isEmpty(from)) && (after == null || isEmpty(to));
        if (leaf || empty) {
            if (!(before != null && after != null && MergeDiff.areSame(before, after))) {
                found.add(new Difference(path, before, after));
            }
            return;
        }
        Set<String> names = new LinkedHashSet<>(from == null ? Set.of() : from.keySet());
        names.addAll(to == null ? Set.of() : to.keySet());
        for (String name : names) {
            compare(
                    path.isEmpty() ? name : path + name,
                    from == null ? null : from.get(name),
                    to == null ? null : to.get(name),
                    found);
        }
    }

    private static boolean isEmpty(@Nullable Map<String, JsonElement> parts) {
        return parts == null || parts.isEmpty();
    }

    /** The parts of an object or a list, by how they are written behind its path; null of a value. */
    private static @Nullable Map<String, JsonElement> parts(String path, @Nullable JsonElement element) {
        Map<String, JsonElement> parts = new LinkedHashMap<>();
        if (element instanceof JsonObject object) {
            object.entrySet().forEach(entry -> {
                String name = entry.getKey();
                String written = name.matches("[A-Za-z0-9_-]+") ? (path.isEmpty() ? "" : ".") + name : "[" + name + "]";
                parts.put(written, entry.getValue());
            });
            return parts;
        }
        if (element instanceof JsonArray list) {
            String key = keyOf(list);
            for (int i = 0; i < list.size(); i++) {
                String name = key == null
                        ? Integer.toString(i)
                        : list.get(i).getAsJsonObject().get(key).getAsString();
                parts.put("[" + name + "]", list.get(i));
            }
            return parts;
        }
        return null;
    }

    /** By what the elements are told apart, null if they are not. */
    private static @Nullable String keyOf(JsonArray list) {
        for (String key : List.of("name", "type", "uid")) {
            Set<JsonElement> values = new LinkedHashSet<>();
            list.forEach(element -> {
                if (element instanceof JsonObject object && object.get(key) instanceof JsonPrimitive value) {
                    values.add(value);
                }
            });
            if (!list.isEmpty() && values.size() == list.size()) {
                return key;
            }
        }
        return null;
    }

    static List<String> texts(List<Difference> differences) {
        return differences.stream().map(Difference::toString).toList();
    }

    @Override
    public String toString() {
        if (before == null) {
            return field + ": " + after;
        }
        return field + ": " + before + " -> " + (after == null ? "(gone)" : after);
    }
}

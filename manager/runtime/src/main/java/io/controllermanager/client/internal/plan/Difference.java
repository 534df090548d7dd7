package io.controllermanager.client.internal.plan;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.json.FieldPaths;
import java.util.ArrayList;
import java.util.List;
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
        FieldPaths.compare(
                "", from, to, true, (field, old, now) -> found.add(new Difference(field, old, now).shown(secret)));
        return found;
    }

    private Difference shown(boolean secret) {
        boolean hidden = field.equals(LAST_APPLIED) || (secret && SECRET_DATA.contains(field.split("[.\\[]", 2)[0]));
        return hidden ? new Difference(field, before == null ? null : HIDDEN, after == null ? null : HIDDEN) : this;
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

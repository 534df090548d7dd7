package io.controllermanager.client.internal.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.json.MergeDiff;
import io.controllermanager.client.internal.request.ResourcePath;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An object as the API server has it and as it would be. What is planned of it lies above what is there: a write that follows is
 * sent with that merged in, as far as it can be. Guarded by its own monitor.
 */
final class PlannedObject {

    /** Fields that the API server alone writes. */
    private static final List<String> OF_THE_SERVER =
            List.of("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink");

    private static final List<String> IDENTITY = List.of("uid", "creationTimestamp", "generation");
    static final List<String> DELETION = List.of("deletionTimestamp", "deletionGracePeriodSeconds");

    final ResourcePath path;

    /** As the API server has it, null if it has none. */
    @Nullable
    JsonObject base;

    /** As it would be, null if it would not be there; the same instance as the base while nothing is planned. */
    @Nullable
    JsonObject now;

    /** The API server cannot be asked about it: the object before still has its name, or its namespace is only planned. */
    boolean local;

    /** Whether part of it was not judged by the API server. */
    boolean unchecked;

    /** By field manager, what the API server made of its last apply alone. */
    final Map<String, JsonObject> applied = new HashMap<>();

    /** Who has written it, first of all the first one. */
    final Set<String> writers = new LinkedHashSet<>();

    PlannedObject(ResourcePath path) {
        this.path = path;
    }

    /** Whether it is a Secret, by its path: what a caller sends need not say what it is. */
    boolean isSecret() {
        return path.group().isEmpty() && path.plural().equals("secrets");
    }

    @SuppressWarnings("ReferenceEquality") // the one is set to the other while nothing is planned
    boolean isPlanned() {
        return base != now;
    }

    /** The API server has it in this state at the moment: what was planned comes on top. */
    void refresh(@Nullable JsonObject fresh) {
        if (isPlanned() && version(base).equals(version(fresh))) {
            return;
        }
        boolean same = base != null && fresh != null && text(base, "uid").equals(text(fresh, "uid"));
        if (!isPlanned() || !same) {
            now = fresh;
            applied.clear();
        } else if (now != null) {
            JsonObject moved = MergeDiff.apply(Objects.requireNonNull(fresh), change(base, now));
            keep(List.of("resourceVersion"), now, moved);
            now = moved;
        }
        base = fresh;
    }

    /** The merge patch that leads from one state to another, without what the API server alone writes. */
    static JsonObject change(@Nullable JsonObject from, @Nullable JsonObject to) {
        return MergeDiff.between(clean(from), clean(to));
    }

    /** A copy without what the API server alone writes; empty if there is none. */
    static JsonObject clean(@Nullable JsonObject object) {
        JsonObject copy = object == null ? new JsonObject() : object.deepCopy();
        OF_THE_SERVER.forEach(metadata(copy)::remove);
        if (metadata(copy).isEmpty()) {
            copy.remove("metadata");
        }
        return copy;
    }

    /**
     * Becomes what a write leads to, null for gone.
     *
     * @param next not used by others
     * @param version for the new state, if it is one
     * @return whether it has changed
     */
    boolean become(@Nullable JsonObject next, String version) {
        JsonObject before = now;
        if (next == null) {
            now = null;
            return before != null;
        }
        metadata(next).remove("managedFields");
        if (before != null) {
            keep(IDENTITY, before, next);
            if (metadata(before).has("deletionTimestamp")) {
                keep(DELETION, before, next);
            }
            if (change(before, next).isEmpty()) {
                return false;
            }
            if (!contents(before).equals(contents(next))
                    && metadata(before).get("generation") instanceof JsonPrimitive n) {
                metadata(next).addProperty("generation", n.getAsLong() + 1);
            }
        }
        metadata(next).addProperty("resourceVersion", version);
        // The last finalizer of what is being deleted has gone.
        now = metadata(next).has("deletionTimestamp") && !hasFinalizers(next) && !hasTimeLeft(next) ? null : next;
        return true;
    }

    private static JsonObject contents(JsonObject object) {
        JsonObject copy = clean(object);
        copy.remove("metadata");
        copy.remove("status");
        return copy;
    }

    private static void keep(List<String> fields, JsonObject from, JsonObject to) {
        for (String field : fields) {
            JsonElement value = metadata(from).get(field);
            if (value != null) {
                metadata(to).add(field, value);
            } else {
                metadata(to).remove(field);
            }
        }
    }

    static boolean hasFinalizers(JsonObject object) {
        return metadata(object).get("finalizers") instanceof JsonArray list && !list.isEmpty();
    }

    /** Whether containers are given time to end. */
    static boolean hasTimeLeft(JsonObject object) {
        return metadata(object).get("deletionGracePeriodSeconds") instanceof JsonPrimitive seconds
                && seconds.getAsLong() > 0;
    }

    static String version(@Nullable JsonObject object) {
        return object == null ? "" : text(object, "resourceVersion");
    }

    /** A field of the metadata, empty if it is not there. */
    static String text(JsonObject object, String field) {
        return metadata(object).get(field) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    static JsonObject metadata(JsonObject object) {
        if (!(object.get("metadata") instanceof JsonObject)) {
            object.add("metadata", new JsonObject());
        }
        return object.getAsJsonObject("metadata");
    }
}

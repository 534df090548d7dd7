package io.controllermanager.client.internal.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.json.MergeDiff;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One write of an object in a dry run: what is sent for it, and what the object would be then. Holds the object's monitor.
 *
 * @param status whether it goes to the status alone
 * @param manager the field manager
 * @param body what was to be sent; empty if nothing was
 */
record PlannedWrite(PlannedObject object, Kind kind, boolean status, String manager, JsonObject body) {

    /** How it is written. */
    enum Kind {
        CREATE,
        REPLACE,
        MERGE,
        APPLY,
        /** A JSON patch or a strategic merge patch. */
        OTHER_PATCH,
        DELETE;

        static Kind of(String method, String contentType) {
            return switch (method) {
                case "POST" -> CREATE;
                case "PUT" -> REPLACE;
                case "DELETE" -> DELETE;
                default ->
                    contentType.contains("apply-patch")
                            ? APPLY
                            : contentType.contains("/merge-patch") ? MERGE : OTHER_PATCH;
            };
        }
    }

    /** How the write is put to the API server. */
    enum Sending {
        /** As it is. */
        AS_IT_IS,
        /** With what was planned before merged in. */
        MERGED,
        /** As a creation of the whole: the object is not there. */
        AS_CREATION,
        /** Not at all: the API server could not know what it is about. */
        NOT
    }

    Sending sending() {
        boolean there = object.base != null;
        if (object.local || (there && object.now == null)) {
            return Sending.NOT;
        }
        if (!object.isPlanned()) {
            return Sending.AS_IT_IS;
        }
        if (there) {
            return kind == Kind.CREATE || kind == Kind.OTHER_PATCH ? Sending.AS_IT_IS : Sending.MERGED;
        }
        boolean whole = kind == Kind.MERGE || kind == Kind.REPLACE;
        return status || !(whole || kind == Kind.APPLY) ? Sending.NOT : whole ? Sending.AS_CREATION : Sending.MERGED;
    }

    /** The code with which a planned state refuses it, 0 if it does not. */
    int refusal() {
        if (!object.isPlanned()) {
            return 0;
        }
        if (object.now == null) {
            return kind == Kind.CREATE || (kind == Kind.APPLY && !status) ? 0 : 404;
        }
        if (kind == Kind.CREATE) {
            return 409;
        }
        JsonObject expected = kind == Kind.DELETE ? part(body, "preconditions") : part(body, "metadata");
        return differs(expected, "resourceVersion") || differs(expected, "uid") ? 409 : 0;
    }

    private boolean differs(JsonObject expected, String field) {
        JsonElement value = expected.get(field);
        return value != null
                && !value.isJsonNull()
                && !value.getAsString().isEmpty()
                && !value.getAsString().equals(PlannedObject.text(Objects.requireNonNull(object.now), field));
    }

    private static JsonObject part(JsonObject object, String name) {
        return object.get(name) instanceof JsonObject part ? part : new JsonObject();
    }

    /** What is sent where that is not the write as it is. */
    JsonObject merged() {
        JsonObject base = object.base;
        if (kind == Kind.APPLY || base == null) {
            // Neither version nor uid of what is only planned mean anything to the API server.
            JsonObject apply = body.deepCopy();
            part(apply, "metadata").remove("resourceVersion");
            if (base == null) {
                part(apply, "metadata").remove("uid");
            }
            return apply;
        }
        if (kind == Kind.DELETE) {
            JsonObject options = body.deepCopy();
            part(options, "preconditions").remove("resourceVersion");
            return options;
        }
        JsonObject target = target();
        PlannedObject.DELETION.forEach(PlannedObject.metadata(target)::remove);
        if (kind == Kind.REPLACE) {
            PlannedObject.metadata(target)
                    .add("resourceVersion", PlannedObject.metadata(base).get("resourceVersion"));
            return target;
        }
        JsonObject change = PlannedObject.change(base, target);
        if (status) {
            change.keySet().retainAll(Set.of("status"));
        }
        return change;
    }

    /** The whole, as it is created. */
    JsonObject creation() {
        JsonObject whole = PlannedObject.clean(target());
        whole.remove("status");
        return whole;
    }

    /** The object with this write, as far as that can be told without the API server. */
    private JsonObject target() {
        JsonObject now = object.now;
        if (kind == Kind.REPLACE || now == null) {
            return body.deepCopy();
        }
        JsonObject change = body.deepCopy();
        part(change, "metadata").remove("resourceVersion");
        part(change, "metadata").remove("uid");
        return MergeDiff.apply(now, change);
    }

    /**
     * What the object would be, null for gone.
     *
     * @param answer the API server's, null if it was not asked
     */
    @Nullable
    JsonObject result(@Nullable JsonObject answer) {
        if (kind == Kind.DELETE) {
            return deleted(answer);
        }
        JsonObject now = object.now;
        if (now == null) {
            return answer == null ? created() : answer;
        }
        if (status) {
            JsonObject next = now.deepCopy();
            JsonElement told = (answer == null ? target() : answer).get("status");
            next.add("status", told == null ? new JsonObject() : told);
            return next;
        }
        if (answer == null) {
            return target();
        }
        return switch (kind) {
            case APPLY -> applied(now, answer);
            case OTHER_PATCH -> MergeDiff.apply(now, PlannedObject.change(object.base, answer));
            default -> withPlannedStatus(now, answer);
        };
    }

    /** The API server applies to what it has. What this manager did not apply before comes on top. */
    private JsonObject applied(JsonObject now, JsonObject answer) {
        JsonObject last = object.applied.put(manager, answer.deepCopy());
        return last == null
                ? MergeDiff.apply(now, PlannedObject.change(object.base, answer))
                : MergeDiff.apply(answer, PlannedObject.change(last, now));
    }

    /** Where the status has a subresource, the answer tells that which the API server has. */
    private JsonObject withPlannedStatus(JsonObject now, JsonObject answer) {
        JsonObject base = object.base;
        JsonElement planned = now.get("status");
        boolean untold = base == null || Objects.equals(answer.get("status"), base.get("status"));
        if (planned != null && untold && Objects.equals(target().get("status"), planned)) {
            answer.add("status", planned);
        }
        return answer;
    }

    private @Nullable JsonObject deleted(@Nullable JsonObject answer) {
        JsonObject now = object.now;
        if (now == null) {
            return null;
        }
        JsonObject left = now.deepCopy();
        JsonObject metadata = PlannedObject.metadata(left);
        JsonObject told = answer == null ? new JsonObject() : answer;
        addNewFinalizers(told, metadata);
        if (!PlannedObject.hasFinalizers(left) && !PlannedObject.hasTimeLeft(told)) {
            return null;
        }
        if (!metadata.has("deletionTimestamp")) {
            JsonElement at = PlannedObject.metadata(told).get("deletionTimestamp");
            JsonElement seconds = PlannedObject.metadata(told).get("deletionGracePeriodSeconds");
            metadata.add("deletionTimestamp", at == null ? timestamp() : at);
            metadata.addProperty("deletionGracePeriodSeconds", seconds == null ? 0 : seconds.getAsLong());
        }
        return left;
    }

    /** Such as that which has it wait for its dependents. */
    private void addNewFinalizers(JsonObject told, JsonObject metadata) {
        if (PlannedObject.hasFinalizers(told)) {
            JsonArray list = new JsonArray();
            list.addAll(finalizers(object.now));
            finalizers(told).forEach(one -> {
                if (!list.contains(one) && !finalizers(object.base).contains(one)) {
                    list.add(one);
                }
            });
            metadata.add("finalizers", list);
        }
    }

    private static JsonArray finalizers(@Nullable JsonObject object) {
        return object != null && PlannedObject.metadata(object).get("finalizers") instanceof JsonArray list
                ? list
                : new JsonArray();
    }

    private static JsonElement timestamp() {
        return new JsonPrimitive(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    /** One that the API server cannot be asked about. */
    private JsonObject created() {
        JsonObject made = body.deepCopy();
        JsonObject before = object.base;
        if (before != null) {
            made.add("apiVersion", before.get("apiVersion"));
            made.add("kind", before.get("kind"));
        }
        JsonObject metadata = PlannedObject.metadata(made);
        metadata.addProperty("uid", UUID.randomUUID().toString());
        metadata.add("creationTimestamp", timestamp());
        metadata.addProperty("generation", 1);
        object.local = true;
        return made;
    }
}

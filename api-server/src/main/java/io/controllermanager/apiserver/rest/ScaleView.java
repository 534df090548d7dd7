package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.patch.ScaleOwnership;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.resource.Scale;
import io.controllermanager.apiserver.selector.LabelSelector;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** An object of a type seen as {@code autoscaling/v1} Scale. */
record ScaleView(ResourceType type, Scale paths) {

    /** Stands for the replicas that a custom resource does not name. */
    private static final int NONE = Integer.MIN_VALUE;

    static ScaleView of(ResourceRequest request) {
        return new ScaleView(
                request.type(), Objects.requireNonNull(request.type().scale()));
    }

    ObjectNode show(ObjectNode object) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", Scale.API_VERSION);
        ObjectNode metadata = Meta.of(scale);
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            Json.setText(metadata, field, Meta.text(object, field));
        }
        int replicas = Json.at(object, paths.specReplicas()).asInt(type.isCustom() ? NONE : 0);
        scale.set("spec", replicas == 0 ? Json.object() : Json.object().put("replicas", replicas));
        ObjectNode status = scale.putObject("status");
        status.put("replicas", Json.at(object, paths.statusReplicas()).asInt(0));
        boolean isText = type.isCustom() && !paths.selector().isEmpty();
        String text = isText ? Json.at(object, paths.selector()).asText("") : "";
        String selector = type.isCustom() ? text : LabelSelector.text(object.at("/spec/selector"));
        Json.setText(status, "selector", selector);
        return scale;
    }

    /** Shows an object to one who reads it; 500 if it names no replicas. */
    ObjectNode get(ObjectNode object) {
        ObjectNode scale = show(object);
        if (scale.path("spec").path("replicas").asInt() == NONE) {
            String what = "the spec replicas field \"" + paths.specReplicas() + "\" does not exist";
            throw StatusException.internal(what);
        }
        return scale;
    }

    /** An apply scales no custom resource: the real server tries to convert the Scale as if it were one. */
    static StatusException notApplied() {
        String why = "request to convert CR to an invalid group/version: autoscaling/v1";
        String what = "failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: ";
        return StatusException.of(500, "", what + why);
    }

    /** Changes an object by a change of its Scale (registry/apps/deployment/storage, scaleUpdatedObjectInfo). */
    ObjectNode change(ObjectNode object, UnaryOperator<ObjectNode> change) {
        ScaleOwnership owners = ScaleOwnership.of(paths.specReplicas(), type.apiVersion(), Scale.API_VERSION);
        ObjectNode before = show(object);
        owners.show(object, before);
        ObjectNode scale = change.apply(before);
        check(object, scale);
        int replicas = scale.path("spec").path("replicas").asInt(0);
        Json.set(object, paths.specReplicas(), IntNode.valueOf(replicas));
        owners.take(scale, object);
        if (!Meta.resourceVersion(scale).isEmpty()) {
            Meta.of(object).put("resourceVersion", Meta.resourceVersion(scale));
        }
        return object;
    }

    private void check(ObjectNode object, ObjectNode scale) {
        String name = Meta.name(object);
        int replicas = scale.path("spec").path("replicas").asInt(0);
        if (type.isCustom() && replicas == NONE) {
            throw StatusException.badRequest(
                    "the spec replicas field \"" + paths.specReplicas() + "\" cannot be empty");
        }
        if (!type.isCustom() && replicas < 0) {
            Cause cause = Cause.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
            throw StatusException.invalid("Scale.autoscaling", name, List.of(cause));
        }
        String groupResource = type.inGroup(type.plural() + "/scale");
        Placement.checkUid(why -> StatusException.conflict(groupResource, name, why), scale, Meta.uid(object));
    }
}

package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.resource.Scale;
import java.util.ArrayList;
import java.util.List;

/** An object seen as {@code autoscaling/v1} Scale. */
final class ScaleView {

    private ScaleView() {}

    static ObjectNode of(ObjectNode object, Scale paths) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = Meta.of(scale);
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            if (!Meta.text(object, field).isEmpty()) {
                metadata.put(field, Meta.text(object, field));
            }
        }
        scale.putObject("spec")
                .put("replicas", Json.at(object, paths.specReplicas()).asInt(0));
        ObjectNode status = scale.putObject("status");
        status.put("replicas", Json.at(object, paths.statusReplicas()).asInt(0));
        String selector = paths.selector().isEmpty()
                ? labels(object.path("spec").path("selector").path("matchLabels"))
                : Json.at(object, paths.selector()).asText("");
        if (!selector.isEmpty()) {
            status.put("selector", selector);
        }
        return scale;
    }

    private static String labels(JsonNode labels) {
        List<String> terms = new ArrayList<>();
        labels.properties()
                .forEach(label ->
                        terms.add(label.getKey() + "=" + label.getValue().asText()));
        return String.join(",", terms);
    }

    /** Brings the replicas that a Scale asks for into its object. */
    static ObjectNode write(ObjectNode object, ObjectNode scale, Scale paths) {
        String name = Meta.name(object);
        if (!Meta.name(scale).isEmpty() && !Meta.name(scale).equals(name)) {
            throw StatusException.badRequest("the name of the object (" + Meta.name(scale)
                    + ") does not match the name on the URL (" + name + ")");
        }
        JsonNode replicas = scale.path("spec").path("replicas");
        if (!replicas.isMissingNode() && (!replicas.isInt() || replicas.asInt() < 0)) {
            Cause cause =
                    MetadataRules.invalid("spec.replicas", replicas.asText(), "must be greater than or equal to 0");
            throw StatusException.invalid("autoscaling", "Scale", name, List.of(cause));
        }
        String[] names = paths.specReplicas().substring(1).split("\\.", -1);
        ObjectNode at = object;
        for (int i = 0; i < names.length - 1; i++) {
            at = Json.child(at, names[i]);
        }
        at.put(names[names.length - 1], replicas.asInt(0));
        JsonNode version = scale.path("metadata").path("resourceVersion");
        if (version.isTextual()) {
            Meta.of(object).set("resourceVersion", version);
        }
        return object;
    }
}

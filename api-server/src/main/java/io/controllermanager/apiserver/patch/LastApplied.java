package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The annotation with what kubectl applied last from the client. With it kubectl moves to server-side apply and back without
 * conflicts (apimachinery, util/managedfields, lastappliedmanager.go and lastappliedupdater.go).
 */
final class LastApplied {

    /** The one who may use it. */
    static final String MANAGER = "kubectl";

    private static final String ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

    private LastApplied() {}

    private static String text(ObjectNode object) {
        return object.path("metadata").path("annotations").path(ANNOTATION).asText();
    }

    /** What was applied last in the object's version; null if there is nothing of the kind. */
    static @Nullable ObjectNode of(ObjectNode object) {
        try {
            JsonNode last = Json.parse(text(object));
            boolean isSame = last.path("apiVersion").equals(object.path("apiVersion"));
            return isSame && last.isObject() ? (ObjectNode) last : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Brings the annotation up to date where there is one. */
    static void refresh(ObjectNode object, ObjectNode configuration) {
        if (text(object).isEmpty()) {
            return;
        }
        ObjectNode applied = configuration.deepCopy();
        if (applied.path("metadata").path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(ANNOTATION);
        }
        ((ObjectNode) object.path("metadata").path("annotations")).put(ANNOTATION, applied + "\n");
    }
}

package io.controllermanager.apiserver.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the metadata of any Kubernetes object. A string that is not there reads as the empty string. */
public final class Meta {

    /** The form of a DNS label, but for its length. */
    public static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

    private static final String SUBDOMAIN = LABEL + "(\\." + LABEL + ")*";
    private static final Pattern KEY =
            Pattern.compile("(" + SUBDOMAIN + "/)?(?=[^/]{1,63}$)([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final Pattern VALUE = Pattern.compile("(?=.{0,63}$)(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");

    private Meta() {}

    /** Whether this may be the key of a label, an annotation or a finalizer. */
    public static boolean isKey(String text) {
        return KEY.matcher(text).matches();
    }

    public static boolean isLabelValue(String text) {
        return VALUE.matcher(text).matches();
    }

    public static ObjectNode of(ObjectNode object) {
        return Json.child(object, "metadata");
    }

    public static String text(JsonNode object, String field) {
        return object.path("metadata").path(field).asText("");
    }

    public static String name(JsonNode object) {
        return text(object, "name");
    }

    public static String namespace(JsonNode object) {
        return text(object, "namespace");
    }

    public static String uid(JsonNode object) {
        return text(object, "uid");
    }

    public static String resourceVersion(JsonNode object) {
        return text(object, "resourceVersion");
    }

    public static boolean isBeingDeleted(JsonNode object) {
        return !text(object, "deletionTimestamp").isEmpty();
    }

    /** An object's group, version and kind as Go shows them. */
    public static String versionAndKind(JsonNode object) {
        String apiVersion = object.path("apiVersion").asText();
        return (apiVersion.contains("/") ? "" : "/") + apiVersion + ", Kind="
                + object.path("kind").asText();
    }

    public static Map<String, String> labels(JsonNode object) {
        return texts(object.path("metadata").path("labels"));
    }

    /** A map of texts. */
    public static Map<String, String> texts(JsonNode fields) {
        if (fields.isEmpty()) {
            return Map.of();
        }
        Map<String, String> map = new LinkedHashMap<>();
        fields.properties()
                .forEach(field -> map.put(field.getKey(), field.getValue().asText()));
        return map;
    }

    public static List<String> finalizers(JsonNode object) {
        return Json.texts(object.path("metadata").path("finalizers"));
    }

    /** Takes finalizers away, and puts another one behind those that are left unless it is empty. */
    public static void changeFinalizers(ObjectNode object, List<String> gone, String added) {
        List<String> finalizers = new ArrayList<>(finalizers(object));
        finalizers.removeAll(gone);
        if (!added.isEmpty()) {
            finalizers.add(added);
        }
        Json.setTexts(of(object), "finalizers", finalizers);
    }

    /** The references to its owners, for the caller to keep. */
    public static List<JsonNode> ownerReferences(JsonNode object) {
        return Json.list(object.path("metadata").path("ownerReferences"));
    }
}

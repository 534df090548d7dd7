package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.controllermanager.webhook.internal.serving.BadRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code apiextensions.k8s.io/v1} ConversionReviews. A conversion that fails is told in the answer, for the API server
 * shows its message to whoever asked.
 */
record ConversionReviews(Conversions conversions) {

    JsonObject answer(JsonObject request) throws BadRequestException {
        String version = Reviews.text(request, "desiredAPIVersion");
        if (!(request.get("objects") instanceof JsonArray objects)) {
            throw new BadRequestException("request.objects is no list");
        }
        JsonObject response = new JsonObject();
        JsonArray converted = new JsonArray(objects.size());
        try {
            for (JsonElement object : objects) {
                converted.add(convert(object, version));
            }
            response.add("result", result("Success", null));
        } catch (IllegalArgumentException e) {
            converted = new JsonArray();
            response.add("result", result("Failure", e.getMessage()));
        }
        response.add("convertedObjects", converted);
        return response;
    }

    private JsonObject convert(JsonElement element, String version) {
        if (!(element instanceof JsonObject object)) {
            throw new IllegalArgumentException("one of the objects is none");
        }
        try {
            return conversions.convert(object, version);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "%s %s to %s: %s"
                            .formatted(Reviews.shown(object), shownVersion(object), version, Reviews.message(e)),
                    e);
        }
    }

    private static String shownVersion(JsonObject object) {
        return "from " + (object.has("apiVersion") ? object.get("apiVersion").getAsString() : "no apiVersion");
    }

    private static JsonObject result(String status, @Nullable String message) {
        JsonObject result = new JsonObject();
        result.addProperty("status", status);
        if (message != null) {
            result.addProperty("message", message);
        }
        return result;
    }
}

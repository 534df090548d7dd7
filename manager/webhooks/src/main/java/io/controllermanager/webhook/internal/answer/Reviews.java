package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.webhook.internal.registration.WebhookNames;
import io.controllermanager.webhook.internal.serving.BadRequestException;
import io.controllermanager.webhook.internal.serving.WebhookHandler;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Opens the reviews that the API server sends, hands on what is asked, and closes the answers. */
public final class Reviews implements WebhookHandler {

    /** What is asked on one path. */
    @FunctionalInterface
    interface Question {

        /** The response to a review's request, without its uid. */
        JsonObject answer(JsonObject request) throws BadRequestException;
    }

    /** A path with the review that belongs there. */
    private record Asked(String apiVersion, String kind, Question question) {}

    private final Map<String, Asked> paths = new HashMap<>();

    /**
     * Opens the reviews of an application.
     *
     * @param conversions those of its types; none are served if there are none
     * @param admissions its validators and defaulters
     */
    public Reviews(Conversions conversions, Set<AdmissionQuestion<?>> admissions) {
        if (!conversions.isEmpty()) {
            ConversionReviews reviews = new ConversionReviews(conversions);
            paths.put(
                    WebhookNames.CONVERT_PATH,
                    new Asked("apiextensions.k8s.io/v1", "ConversionReview", reviews::answer));
        }
        admissions.forEach(
                one -> paths.put(one.path(), new Asked("admission.k8s.io/v1", "AdmissionReview", one::answer)));
    }

    @Override
    public Set<String> paths() {
        return Set.copyOf(paths.keySet());
    }

    @Override
    public byte[] answer(String path, InputStream body) throws BadRequestException {
        Asked asked = paths.get(path);
        if (asked == null) {
            throw new BadRequestException("nothing is served on " + path);
        }
        JsonObject review = parse(body);
        if (!asked.apiVersion().equals(text(review, "apiVersion"))
                || !asked.kind().equals(text(review, "kind"))) {
            throw new BadRequestException("%s %s is asked for on %s, but the body is %s %s"
                    .formatted(
                            asked.apiVersion(), asked.kind(), path, text(review, "apiVersion"), text(review, "kind")));
        }
        if (!(review.get("request") instanceof JsonObject request)) {
            throw new BadRequestException("the review has no request");
        }
        String uid = text(request, "uid");
        JsonObject response = asked.question().answer(request);
        response.addProperty("uid", uid);
        JsonObject answer = new JsonObject();
        answer.addProperty("apiVersion", asked.apiVersion());
        answer.addProperty("kind", asked.kind());
        answer.add("response", response);
        return answer.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static JsonObject parse(InputStream body) throws BadRequestException {
        try {
            JsonElement parsed = JsonParser.parseReader(new InputStreamReader(body, StandardCharsets.UTF_8));
            if (parsed instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException e) {
            throw new BadRequestException("the body is no JSON: " + message(e));
        }
        throw new BadRequestException("the body is no JSON object");
    }

    /** A field that is text. */
    static String text(JsonObject object, String field) throws BadRequestException {
        if (object.get(field) instanceof JsonPrimitive text && text.isString()) {
            return text.getAsString();
        }
        throw new BadRequestException("the field " + field + " is missing or no text");
    }

    /** An object's kind and key, for messages. */
    static String shown(JsonObject object) {
        JsonObject metadata = object.get("metadata") instanceof JsonObject found ? found : new JsonObject();
        return shown(object, "kind") + " "
                + Keys.shown(metadata.has("namespace") ? shown(metadata, "namespace") : null, shown(metadata, "name"));
    }

    private static String shown(JsonObject object, String field) {
        return object.get(field) instanceof JsonPrimitive text ? text.getAsString() : "?";
    }

    static String message(Throwable failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}

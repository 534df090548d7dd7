package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a CRD's webhook to convert objects between versions. For use by any thread; it may take its time
 * (apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go).
 *
 * @param webhook the CRD's {@code spec.conversion.webhook}
 */
public record ConversionWebhook(WebhookClient client, JsonNode webhook) {

    private static final int TIMEOUT_SECONDS = 30;

    /**
     * Converts objects, which are all of other versions.
     *
     * @param apiVersion what they are to be of
     * @return as many, in the same order, for the caller to keep
     * @throws StatusException 500 if that does not work
     */
    public List<ObjectNode> convert(List<ObjectNode> objects, String apiVersion) {
        String what = "conversion webhook for " + Meta.versionAndKind(objects.get(0));
        JsonNode converted;
        try {
            converted = ask(objects, apiVersion);
        } catch (IOException e) {
            throw StatusException.of(500, "", what + " failed: " + e.getMessage());
        }
        if (converted.size() != objects.size()) {
            String counts = " returned " + converted.size() + " objects, expected " + objects.size();
            throw StatusException.of(500, "", what + counts);
        }
        List<ObjectNode> result = new ArrayList<>();
        for (int i = 0; i < objects.size(); i++) {
            boolean alone = objects.size() == 1;
            try {
                result.add(checked(objects.get(i), converted.path(i), apiVersion, alone ? " at index 0" : ""));
            } catch (IOException e) {
                String which = alone ? "object" : "converted object at index " + i;
                throw StatusException.of(500, "", what + " returned invalid " + which + e.getMessage());
            }
        }
        return result;
    }

    private JsonNode ask(List<ObjectNode> objects, String apiVersion) throws IOException {
        Review review = Review.of("apiextensions.k8s.io", "ConversionReview", webhook.path("conversionReviewVersions"));
        ObjectNode request = Json.object().put("desiredAPIVersion", apiVersion);
        request.putArray("objects").addAll(objects);
        JsonNode answer = client.post(webhook.path("clientConfig"), TIMEOUT_SECONDS, review.of(request));
        JsonNode response = review.response(answer, "no response provided");
        String status = response.path("result").path("status").asText();
        if (!status.equals("Success")) {
            String message = response.path("result").path("message").asText();
            String unsaid = "response.result.status was '" + status + "', not 'Success'";
            throw new IOException(message.isEmpty() ? unsaid : message);
        }
        return response.path("convertedObjects");
    }

    /** A converted object with the metadata that it had, but for labels and annotations, which may be converted too. */
    private static ObjectNode checked(ObjectNode before, JsonNode after, String apiVersion, String at)
            throws IOException {
        expect(at + ": invalid groupVersion", apiVersion, after.path("apiVersion"));
        expect(at + ": invalid kind", before.path("kind").asText(), after.path("kind"));
        for (String field : List.of("name", "namespace", "uid")) {
            String was = Meta.text(before, field);
            String is = Meta.text(after, field);
            if (!was.equals(is)) {
                throw new IOException(": must have the same " + field.replace("uid", "UID") + ": " + was + " != " + is);
            }
        }
        ObjectNode result = after.deepCopy();
        ObjectNode metadata = before.path("metadata").deepCopy();
        for (String field : List.of("labels", "annotations")) {
            Json.set(metadata, field, after.path("metadata").path(field));
        }
        return result.set("metadata", metadata);
    }

    private static void expect(String otherwise, String expected, JsonNode received) throws IOException {
        if (!received.asText().equals(expected)) {
            throw new IOException(otherwise + " (expected " + expected + ", received " + received.asText() + ")");
        }
    }
}

package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.io.IOException;
import java.util.UUID;

/** What a webhook is sent, and has to answer. The uid tells which answer belongs to it. */
record Review(String apiVersion, String kind, String uid) {

    /**
     * A review in the first version that the webhook takes and that there is.
     *
     * @param versions such as {@code admissionReviewVersions}
     */
    static Review of(String group, String kind, JsonNode versions) {
        String version = Json.texts(versions).stream()
                .filter(name -> name.equals("v1") || name.equals("v1beta1"))
                .findFirst()
                .orElse("v1");
        return new Review(group + "/" + version, kind, UUID.randomUUID().toString());
    }

    /** The review of a request, which gets the uid. */
    ObjectNode of(ObjectNode request) {
        return Json.object().put("kind", kind).put("apiVersion", apiVersion).set("request", request.put("uid", uid));
    }

    /** The response in an answer, if it is one to this. */
    JsonNode response(JsonNode answer, String absent) throws IOException {
        JsonNode response = answer.path("response");
        if (!response.isObject()) {
            throw new IOException(absent);
        }
        String wanted = apiVersion + ", Kind=" + kind;
        String got = response.path("uid").asText();
        // What comes in the first version counts without.
        if (apiVersion.endsWith("/v1") && !got.equals(uid)) {
            throw new IOException("expected response.uid=\"" + uid + "\", got \"" + got + '"');
        } else if (apiVersion.endsWith("/v1") && !Meta.versionAndKind(answer).equals(wanted)) {
            throw new IOException("expected webhook response of " + wanted + ", got " + Meta.versionAndKind(answer));
        }
        return response;
    }
}

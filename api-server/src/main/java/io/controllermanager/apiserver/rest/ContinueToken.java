package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.util.Base64;

/**
 * Where a list goes on, written as the real server writes it.
 *
 * @param version the snapshot's; -1 to go on in the present, for want of the snapshot
 * @param start the path behind which to go on
 */
record ContinueToken(long version, String start) {

    private static final String KIND = "meta.k8s.io/v1";

    /** Reads a token; 400 for what is no token. */
    static ContinueToken parse(String text) {
        try {
            JsonNode token = Json.read(Base64.getUrlDecoder().decode(text));
            if (!token.path("v").asText().equals(KIND) || !token.path("start").isTextual()) {
                throw invalid("server does not recognize this encoded version");
            }
            return new ContinueToken(
                    token.path("rv").asLong(), token.path("start").asText().replace("\u0000", ""));
        } catch (IllegalArgumentException | IOException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static StatusException invalid(String why) {
        return StatusException.badRequest("invalid continue token: continue key is not valid: " + why);
    }

    String encode() {
        ObjectNode token = Json.object().put("v", KIND).put("rv", version).put("start", start + "\u0000");
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.write(token));
    }
}

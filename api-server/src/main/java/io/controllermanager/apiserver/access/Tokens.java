package io.controllermanager.apiserver.access;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;

/**
 * What proves to an embedded server who asks: JSON web tokens without a signature. They are not secret: whoever reads this
 * can make one. Those of service accounts claim what the real ones do (kubernetes, pkg/serviceaccount/claims.go), and end
 * with their time and their account.
 */
public record Tokens(Store store, InstantSource clock) {

    /** For whom a service account's token is that names nobody; kubeadm's. */
    static final String AUDIENCE = "https://kubernetes.default.svc.cluster.local";

    private static final String HEAD = encode(Json.object().put("alg", "none"));

    static String of(ObjectNode claims) {
        return HEAD + "." + encode(claims) + ".";
    }

    private static String encode(ObjectNode part) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.write(part));
    }

    /** Makes one for a service account, from now until then. */
    String issue(StoredObject account, List<String> audiences, Instant now, Instant end) {
        Key key = account.key();
        ObjectNode claims = Json.object().put("iss", AUDIENCE).put("exp", end.getEpochSecond());
        claims.put("iat", now.getEpochSecond());
        claims.put("sub", User.ofServiceAccount(key.namespace(), key.name()));
        audiences.forEach(claims.putArray("aud")::add);
        ObjectNode own = claims.putObject("kubernetes.io").put("namespace", key.namespace());
        own.putObject("serviceaccount").put("name", key.name()).put("uid", account.uid());
        return of(claims);
    }

    /**
     * Whose a token is.
     *
     * @param audiences of whom a service account's has to be for one
     * @throws IllegalArgumentException for one that is no good, with a message that says why
     */
    User user(String token, List<String> audiences) {
        String[] parts = token.split("\\.", -1);
        checkArgument(parts.length == 3 && parts[0].equals(HEAD), "invalid bearer token");
        JsonNode claims = claims(Base64.getUrlDecoder().decode(parts[1]));
        User user = User.of(
                claims.path("sub").asText(), Json.texts(claims.path("groups")).toArray(String[]::new));
        JsonNode own = claims.path("kubernetes.io");
        if (own.isMissingNode()) {
            return user;
        }
        JsonNode account = own.path("serviceaccount");
        String uid = account.path("uid").asText();
        String namespace = own.path("namespace").asText();
        StoredObject now = store.get(
                new Key("serviceaccounts", namespace, account.path("name").asText()));
        JsonNode sent = claims.path("aud");
        boolean ended = clock.instant().getEpochSecond() >= claims.path("exp").asLong();
        checkArgument(!ended, "service account token has expired");
        checkArgument(now != null && now.uid().equals(uid), "service account token has been invalidated");
        boolean fits = Json.texts(sent).stream().anyMatch(audiences::contains);
        checkArgument(fits, "token audiences %s are none of the target audiences %s", sent, audiences);
        return new User(user.name(), uid, user.groups());
    }

    private static JsonNode claims(byte[] text) {
        try {
            JsonNode claims = Json.read(text);
            checkArgument(claims.isObject(), "invalid bearer token");
            return claims;
        } catch (IOException e) {
            throw new IllegalArgumentException("invalid bearer token", e);
        }
    }
}

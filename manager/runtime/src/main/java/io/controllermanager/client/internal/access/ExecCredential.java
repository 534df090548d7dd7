package io.controllermanager.client.internal.access;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.ClientCertificate;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.regex.Pattern;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * What a credential plugin gives: a token, a client certificate or both.
 *
 * @param token empty if there is none
 * @param end when it runs out, null if nobody says so
 */
record ExecCredential(
        String token,
        @Nullable ClientCertificate certificate,
        @Nullable Instant end) {

    /**
     * Reads an answer by the rules of client-go's {@code plugin/pkg/client/auth/exec}. The certificate's own end counts too.
     *
     * @param version the {@code apiVersion} that was asked for
     * @throws IllegalArgumentException if it is of no use; the message goes behind the plugin's name and quotes no secret
     */
    static ExecCredential read(String answer, String version) {
        JsonObject given = object(answer);
        String kind = text(given, "kind");
        String other = text(given, "apiVersion");
        require(kind.isEmpty() || kind.equals("ExecCredential"), "prints an object that is no ExecCredential");
        require(
                other.equals(version),
                "answers in "
                        + (other.matches(Pattern.quote(ExecPlugin.GROUP) + "\\w{1,20}")
                                ? other
                                : "an unknown apiVersion")
                        + ", and the kubeconfig asks for " + version);
        JsonElement status = given.get("status");
        require(status instanceof JsonObject, "gives no status");
        String token = text(status, "token");
        String certificate = text(status, "clientCertificateData");
        String key = text(status, "clientKeyData");
        require(certificate.isEmpty() == key.isEmpty(), "gives only one of clientCertificateData and clientKeyData");
        require(
                BearerTokens.isSendable(token),
                "gives a token that cannot be sent, since a header cannot have all of it");
        require(!token.isEmpty() || !key.isEmpty(), "gives neither a token nor a client certificate");
        Instant end = time(text(status, "expirationTimestamp"));
        if (key.isEmpty()) {
            return new ExecCredential(token, null, end);
        }
        ClientCertificate own = new ClientCertificate(ByteString.encodeUtf8(certificate), ByteString.encodeUtf8(key));
        try {
            Instant ownEnd = own.end();
            return new ExecCredential(token, own, end == null || ownEnd.isBefore(end) ? ownEnd : end);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("gives a client certificate of no use: " + FailureMessage.words(e), e);
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static JsonObject object(String answer) {
        try {
            if (JsonParser.parseString(answer) instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException e) {
            // Whose message quotes the answer.
        }
        throw new IllegalArgumentException("prints no ExecCredential in JSON");
    }

    private static String text(JsonElement object, String field) {
        JsonElement value = object.getAsJsonObject().get(field);
        if (value == null || value.isJsonNull()) {
            return "";
        }
        require(
                value.isJsonPrimitive() && value.getAsJsonPrimitive().isString(),
                "gives a " + field + " that is no text");
        return value.getAsString();
    }

    private static @Nullable Instant time(String text) {
        try {
            return text.isEmpty() ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("gives an expirationTimestamp that is no time in the form of RFC 3339");
        }
    }

    /** Whether another proves the same, be it for longer. */
    boolean provesAs(@Nullable ExecCredential other) {
        return other != null && token.equals(other.token) && Objects.equals(certificate, other.certificate);
    }
}

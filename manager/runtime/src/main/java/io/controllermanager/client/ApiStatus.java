package io.controllermanager.client;

import static java.util.Objects.requireNonNullElse;

import com.google.gson.JsonParseException;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.openapi.models.V1StatusCause;
import io.kubernetes.client.openapi.models.V1StatusDetails;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the API server says about a request that it did not carry out.
 *
 * @param code as an HTTP status, 0 if there is no {@code Status} object
 * @param reason machine-readable, such as {@code AlreadyExists}; empty if there is none
 * @param message for people; where there is no {@code Status}, as when a proxy answered, the answer itself
 * @param details what it is about, and causes; with nothing in it if there are none
 */
public record ApiStatus(int code, String reason, String message, V1StatusDetails details) {

    /** Reads an error's body. */
    public static ApiStatus of(ApiException error) {
        return of(error.getResponseBody());
    }

    /** Reads a body, null if there was none. */
    public static ApiStatus of(@Nullable String body) {
        return of(parsed(body), body == null ? "" : body.strip());
    }

    /** What a Status says, with a message for where it has none. */
    public static ApiStatus of(@Nullable V1Status status, String message) {
        V1Status said = status == null ? new V1Status() : status;
        return new ApiStatus(
                requireNonNullElse(said.getCode(), 0),
                requireNonNullElse(said.getReason(), ""),
                requireNonNullElse(said.getMessage(), message),
                requireNonNullElse(said.getDetails(), new V1StatusDetails()));
    }

    private static @Nullable V1Status parsed(@Nullable String body) {
        if (body == null || !body.startsWith("{")) {
            return null;
        }
        try {
            V1Status status = ApiJson.read(body.getBytes(StandardCharsets.UTF_8), ApiJson.adapter(V1Status.class));
            return "Status".equals(status.getKind()) ? status : null;
        } catch (IOException | JsonParseException | IllegalStateException notAStatus) {
            return null;
        }
    }

    /** Whether an error says that the object is not there, rather than its type. */
    public static boolean isObjectNotFound(ApiException error) {
        return error.getCode() == 404 && of(error).reason.equals("NotFound");
    }

    /** Whether this is about that object, rather than another one or a namespace. */
    public boolean isAbout(ResourceType<?> type, @Nullable String name) {
        return type.plural().equals(details.getKind())
                && type.group().equals(requireNonNullElse(details.getGroup(), ""))
                && name != null
                && name.equals(details.getName());
    }

    /** The causes among the details. */
    public List<V1StatusCause> causes() {
        return requireNonNullElse(details.getCauses(), List.of());
    }

    /** Whether there is a cause with this reason, such as {@code NamespaceTerminating}. */
    public boolean hasCause(String cause) {
        return causes().stream().anyMatch(found -> cause.equals(found.getReason()));
    }
}

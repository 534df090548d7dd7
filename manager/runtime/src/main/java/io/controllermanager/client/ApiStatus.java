package io.controllermanager.client;

import com.google.gson.JsonParseException;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.openapi.models.V1StatusDetails;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What the API server says about a request that it did not carry out: a {@code Status} object, as a rule. */
public final class ApiStatus {

    private ApiStatus() {}

    /** The Status in an error's body; null if there is none, as when a proxy answered with a page of its own. */
    public static @Nullable V1Status of(@Nullable String body) {
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

    /** The message in the body's Status, the body itself where there is none; empty if there is no body. */
    public static String message(@Nullable String body) {
        V1Status status = of(body);
        if (status != null && status.getMessage() != null) {
            return status.getMessage();
        }
        return body == null ? "" : body.strip();
    }

    /** The machine-readable reason in the error's Status, such as {@code AlreadyExists}; empty if there is none. */
    public static String reason(ApiException error) {
        V1Status status = of(error.getResponseBody());
        return status == null || status.getReason() == null ? "" : status.getReason();
    }

    /** Whether the error's Status is about this object, rather than another one or a namespace. */
    public static boolean isAbout(ApiException error, ResourceType<?> type, @Nullable String name) {
        V1Status status = of(error.getResponseBody());
        V1StatusDetails details = status == null ? null : status.getDetails();
        return details != null
                && type.plural().equals(details.getKind())
                && type.group().equals(details.getGroup() == null ? "" : details.getGroup())
                && name != null
                && name.equals(details.getName());
    }

    /** Whether the error's Status gives this cause among its details, such as {@code NamespaceTerminating}. */
    public static boolean hasCause(ApiException error, String cause) {
        V1Status status = of(error.getResponseBody());
        V1StatusDetails details = status == null ? null : status.getDetails();
        return details != null
                && details.getCauses() != null
                && details.getCauses().stream().anyMatch(found -> cause.equals(found.getReason()));
    }
}

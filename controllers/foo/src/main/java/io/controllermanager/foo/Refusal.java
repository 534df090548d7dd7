package io.controllermanager.foo;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why the API server did not do what it was asked, as far as that decides what to do next.
 *
 * @param cause which of the known ones, or something else
 * @param message what the API server says about it
 */
record Refusal(Cause cause, String message) {

    /** What to tell apart. */
    enum Cause {
        /** There is no such object (or namespace). */
        NOT_FOUND,
        /** An object of this name is there already. */
        ALREADY_EXISTS,
        /** The object has changed since it was read. */
        CONFLICT,
        /** The namespace is being deleted: nothing can be created in it any more. */
        NAMESPACE_TERMINATING,
        /** What was asked for breaks the API's rules, now and each time. */
        INVALID,
        /** Something that may pass. */
        OTHER
    }

    private static final Gson GSON = new Gson();

    /** The part of {@code metav1.Status} that matters here. */
    private record Body(
            @Nullable String message,
            @Nullable String reason,
            @Nullable Details details) {

        private record Details(@Nullable List<DetailsCause> causes) {}

        private record DetailsCause(@Nullable String reason) {}

        boolean hasCause(String wanted) {
            return details != null
                    && details.causes() != null
                    && details.causes().stream().anyMatch(cause -> wanted.equals(cause.reason()));
        }
    }

    /** Reads the API server's answer, a {@link V1Status} as a rule. */
    static Refusal of(ApiException exception) {
        Body body = parse(exception.getResponseBody());
        String message =
                body == null || body.message() == null ? String.valueOf(exception.getMessage()) : body.message();
        return new Refusal(causeOf(exception.getCode(), body), message);
    }

    private static Cause causeOf(int code, @Nullable Body body) {
        return switch (code) {
            case 404 -> Cause.NOT_FOUND;
            case 409 -> body != null && "AlreadyExists".equals(body.reason()) ? Cause.ALREADY_EXISTS : Cause.CONFLICT;
            case 403 ->
                // Kubernetes names this cause for clients to act on (corev1.NamespaceTerminatingCause).
                body != null && body.hasCause("NamespaceTerminating") ? Cause.NAMESPACE_TERMINATING : Cause.OTHER;
            case 400, 422 -> Cause.INVALID;
            default -> Cause.OTHER;
        };
    }

    private static @Nullable Body parse(@Nullable String json) {
        try {
            return GSON.fromJson(json, Body.class);
        } catch (JsonParseException e) {
            // Something between the API server and here answered, with a page of its own.
            return null;
        }
    }
}

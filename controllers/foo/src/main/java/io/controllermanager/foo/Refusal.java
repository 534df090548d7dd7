package io.controllermanager.foo;

import io.controllermanager.client.ApiStatus;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Status;

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

    /** Reads the API server's answer, a {@link V1Status} as a rule. */
    static Refusal of(ApiException exception) {
        String message = ApiStatus.message(exception.getResponseBody());
        return new Refusal(causeOf(exception), message.isEmpty() ? String.valueOf(exception.getMessage()) : message);
    }

    private static Cause causeOf(ApiException exception) {
        return switch (exception.getCode()) {
            case 404 -> Cause.NOT_FOUND;
            case 409 -> ApiStatus.reason(exception).equals("AlreadyExists") ? Cause.ALREADY_EXISTS : Cause.CONFLICT;
            case 403 ->
                // Kubernetes names this cause for clients to act on (corev1.NamespaceTerminatingCause).
                ApiStatus.hasCause(exception, "NamespaceTerminating") ? Cause.NAMESPACE_TERMINATING : Cause.OTHER;
            case 400, 422 -> Cause.INVALID;
            default -> Cause.OTHER;
        };
    }
}

package io.controllermanager.client.internal.request;

import io.controllermanager.client.ApiStatus;
import io.kubernetes.client.openapi.ApiException;
import org.jspecify.annotations.Nullable;

/**
 * Says in one line what went wrong. The message of client-java's {@link ApiException} is a block of many lines with all
 * response headers; what matters is the status code and what the API server said in its {@code Status} object. A {@link
 * RequestFailedException} says that itself, and what was tried.
 */
public final class FailureMessage {

    private static final int LONGEST = 500;

    /** Chains of causes are short; one that is longer goes in a circle. */
    private static final int DEEPEST = 30;

    private FailureMessage() {}

    /** The exception's class and message; an exception that only wraps another gives way to that one. */
    public static String of(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; depth < DEEPEST; depth++) {
            Throwable cause = at.getCause();
            if (cause == null || !isWrapper(at, cause)) {
                break;
            }
            at = cause;
        }
        return oneLine(describe(at));
    }

    /** What an exception says, without its class; as {@link #of} where it says nothing. */
    public static String words(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? of(failure) : oneLine(message);
    }

    /** What came of a request: the API server's answer, such as {@code HTTP 409 Conflict: ...}, or why there was none. */
    public static String ofRequest(ApiException failure) {
        return failure.getCode() == 0 ? of(failure) : oneLine(answer(failure.getCode(), failure.getResponseBody()));
    }

    /** An answer that is no success, at any length. */
    static String answer(int code, @Nullable String body) {
        ApiStatus status = ApiStatus.of(body);
        return flat("HTTP " + code + (status.reason().isEmpty() ? "" : " " + status.reason())
                + (status.message().isEmpty() ? "" : ": " + status.message()));
    }

    private static boolean isWrapper(Throwable wrapper, Throwable cause) {
        if (wrapper instanceof ApiException api) {
            return api.getCode() == 0;
        }
        String message = wrapper.getMessage();
        return message == null
                || message.equals(cause.toString())
                // The class says nothing either.
                || (message.equals(cause.getMessage()) && wrapper instanceof IllegalStateException);
    }

    private static String describe(Throwable failure) {
        String name = failure.getClass().getSimpleName();
        if (name.isEmpty()) {
            name = failure.getClass().getName();
        }
        if (failure instanceof ApiException api && api.getCode() != 0 && !(api instanceof RequestFailedException)) {
            String said = ApiStatus.of(api).message();
            return name + ": " + api.getCode() + (said.isEmpty() ? "" : " " + said);
        }
        String message = failure.getMessage();
        if (failure.getCause() instanceof ApiException cause && !(failure instanceof ApiException)) {
            return name + ": " + (message == null ? "" : message + ": ") + of(cause);
        }
        return message == null || message.isEmpty() ? name : name + ": " + message;
    }

    /** A text for a message: without what means something to a terminal, and not too long. */
    public static String oneLine(String text) {
        String line = flat(text);
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }

    private static String flat(String text) {
        return text.replaceAll("\\s*\\p{Cntrl}+\\s*", " ").strip();
    }
}

package io.controllermanager.client;

import io.kubernetes.client.openapi.ApiException;

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
        Throwable cause = failure.getCause();
        if (cause != null && !(failure instanceof ApiException)) {
            String deeper = cause instanceof ApiException ? of(cause) : "";
            if (!deeper.isEmpty()) {
                return name + ": " + (message == null ? "" : message + ": ") + deeper;
            }
        }
        return message == null || message.isEmpty() ? name : name + ": " + message;
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }
}

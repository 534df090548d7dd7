package io.controllermanager.client.internal.transport;

import org.jspecify.annotations.Nullable;

/** No usable way to the API server. The message is one line that says which file or variable is at fault and how. */
public final class ApiAccessException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With a one-line message for the person who configures the process. */
    public ApiAccessException(String message) {
        super(message);
    }

    /** With a one-line message and what lies behind it. */
    public ApiAccessException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package io.controllermanager.client.internal.request;

import io.controllermanager.client.ApiStatus;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to the API server failed. Unlike its parent's, the message is one line: what was tried, on what, and what
 * the API server had to say.
 */
public final class RequestFailedException extends ApiException {
    private static final long serialVersionUID = 1L;

    private final String line;

    RequestFailedException(
            String line,
            @Nullable Throwable cause,
            int code,
            Map<String, List<String>> headers,
            @Nullable String body) {
        super(line, cause, code, headers, body);
        this.line = line;
    }

    @Override
    public String getMessage() {
        return line;
    }

    /** The machine-readable reason of the API server's Status, such as {@code AlreadyExists}; empty if there is none. */
    public String reason() {
        return ApiStatus.of(this).reason();
    }
}

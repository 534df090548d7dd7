package io.controllermanager.reconciler;

import io.controllermanager.client.ApiStatus;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1StatusCause;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Others hold fields that were to be applied, with other values: nothing of the object was written. The message names the
 * managers and the fields of each.
 */
public final class FieldConflictException extends ApiException {

    private static final long serialVersionUID = 1L;

    /** As in {@code conflict with "kubectl-edit" using apps/v1}. */
    private static final Pattern MANAGER = Pattern.compile("conflict with \"([^\"]*)\"");

    private final String line;

    private FieldConflictException(String line, ApiException cause) {
        super(line, cause, cause.getCode(), cause.getResponseHeaders(), cause.getResponseBody());
        this.line = line;
    }

    /** What the answer to an apply of the object says; null if it is about something else. */
    static @Nullable FieldConflictException of(ApiException answer, String object) {
        if (answer.getCode() != 409) {
            return null;
        }
        Map<String, Collection<String>> fields = new TreeMap<>();
        for (V1StatusCause cause : ApiStatus.of(answer).causes()) {
            if ("FieldManagerConflict".equals(cause.getReason())) {
                Matcher matcher = MANAGER.matcher(String.valueOf(cause.getMessage()));
                fields.computeIfAbsent(
                                matcher.find() ? matcher.group(1) : String.valueOf(cause.getMessage()),
                                manager -> new TreeSet<>())
                        .add(String.valueOf(cause.getField()));
            }
        }
        if (fields.isEmpty()) {
            return null;
        }
        String holders = fields.entrySet().stream()
                .map(entry -> entry.getKey() + " holds " + String.join(", ", entry.getValue()))
                .collect(Collectors.joining("; "));
        return new FieldConflictException("apply of " + object + ": " + holders, answer);
    }

    @Override
    public String getMessage() {
        return line;
    }
}

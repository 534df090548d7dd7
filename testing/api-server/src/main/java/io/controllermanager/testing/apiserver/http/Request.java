package io.controllermanager.testing.apiserver.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request, read to its end.
 *
 * @param path its decoded segments, none of them empty
 * @param query the decoded parameters in their order
 * @param headers under their names in lower case
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Request(
        String method,
        List<String> path,
        Map<String, List<String>> query,
        Map<String, List<String>> headers,
        byte[] body) {

    /** A query parameter's first value; empty where there is none. */
    public String parameter(String name) {
        List<String> values = query.getOrDefault(name, List.of());
        return values.isEmpty() ? "" : values.get(0);
    }

    public boolean has(String parameter) {
        return !parameter(parameter).isEmpty();
    }

    /** A boolean parameter, in Go's spellings. */
    public boolean flag(String name) {
        return switch (parameter(name)) {
            case "1", "t", "T", "true", "True", "TRUE" -> true;
            default -> false;
        };
    }

    /**
     * A number.
     *
     * @return null where there is none
     * @throws StatusException 400 for what is no number
     */
    public @Nullable Long number(String name) {
        if (!has(name)) {
            return null;
        }
        try {
            return Long.valueOf(parameter(name));
        } catch (NumberFormatException e) {
            throw StatusException.badRequest("unable to parse query parameter " + name + ": " + parameter(name));
        }
    }

    /** A header's values, joined; empty where there is none. */
    public String header(String name) {
        return String.join(",", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
    }
}

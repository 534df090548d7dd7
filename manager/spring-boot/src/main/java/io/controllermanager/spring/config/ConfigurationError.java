package io.controllermanager.spring.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One mistake in the configuration.
 *
 * @param property the property's name
 * @param value what it was set to, null if the mistake is that it is not set
 * @param origin where it was set, such as a flag, a file and line, or an environment variable; null if not known
 * @param message what is wrong and what is allowed
 */
public record ConfigurationError(
        String property, @Nullable String value, @Nullable String origin, String message) {

    /** Names whose values nobody should read: none of ours is, but a mistyped or misplaced one may be. */
    private static final Pattern SECRET =
            Pattern.compile("password|passwd|secret|token|credential|key$", Pattern.CASE_INSENSITIVE);

    /**
     * The mistake in one line: {@code property=value (origin): message}. Of a property whose name sounds like a secret the
     * value is not shown.
     */
    public String line() {
        StringBuilder line = new StringBuilder(property);
        if (value != null) {
            line.append('=').append(SECRET.matcher(property).find() ? "******" : value);
        }
        if (origin != null) {
            line.append(" (").append(origin).append(')');
        }
        return line.append(": ").append(message).toString().replaceAll("\\s*\\R\\s*", " ");
    }
}

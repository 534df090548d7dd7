package io.controllermanager.spring.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.origin.Origin;

/** Collects mistakes while the configuration is read. Safe for use by several threads. */
public final class ConfigurationErrors {

    private final Set<ConfigurationError> errors = new LinkedHashSet<>();

    /** Adds a mistake; the same one twice counts once. */
    public synchronized void add(ConfigurationError error) {
        errors.add(error);
    }

    /** Whether a mistake in this property is known already, so that another check has nothing to add. */
    public synchronized boolean has(String property) {
        return errors.stream().anyMatch(error -> error.property().equals(property));
    }

    void add(ConfigurationPropertyName name, @Nullable ConfigurationProperty property, String message) {
        Object value = property == null ? null : property.getValue();
        add(new ConfigurationError(
                name.toString(), value == null ? null : value.toString(), originOf(property), message));
    }

    /**
     * Ends the reading.
     *
     * @throws ConfigurationException with all mistakes, if there are any
     */
    public synchronized void throwIfAny() {
        if (!errors.isEmpty()) {
            List<ConfigurationError> all = new ArrayList<>(errors);
            errors.clear();
            throw new ConfigurationException(all);
        }
    }

    private static @Nullable String originOf(@Nullable ConfigurationProperty property) {
        Origin origin = property == null ? null : property.getOrigin();
        if (origin == null) {
            return null;
        }
        String text = origin.toString();
        // Spring says: "server.port" from property source "commandLineArgs"
        if (!text.startsWith("\"")) {
            return text;
        }
        return text.endsWith("\"commandLineArgs\"")
                ? "command line"
                : text.substring(text.indexOf(" from ") + " from ".length());
    }
}

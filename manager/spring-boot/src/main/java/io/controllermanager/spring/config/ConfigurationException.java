package io.controllermanager.spring.config;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration is wrong; its message has one line for each mistake. */
public final class ConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<ConfigurationError> errors;

    /** With everything that is wrong, at least one mistake. */
    public ConfigurationException(List<ConfigurationError> errors) {
        super(errors.stream().map(ConfigurationError::line).collect(Collectors.joining("\n")));
        this.errors = List.copyOf(errors);
    }

    /** Everything that is wrong. */
    public List<ConfigurationError> errors() {
        return errors;
    }
}

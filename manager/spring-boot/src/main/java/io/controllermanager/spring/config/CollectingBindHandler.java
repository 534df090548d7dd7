package io.controllermanager.spring.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Notes a value below {@code controller-manager} that cannot be converted and goes on with its default, so that one start
 * tells of every mistake. Reads durations and booleans in Go's spelling where Spring Boot's does not fit.
 */
final class CollectingBindHandler extends AbstractBindHandler {

    static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(ControllerManagerProperties.PREFIX);
    private static final Pattern BARE_NUMBER = Pattern.compile("[-+]?\\d+");

    static final ConfigurationPropertyName CONTROLLER = PREFIX.append("controller");

    private final ConfigurationErrors errors;

    CollectingBindHandler(BindHandler parent, ConfigurationErrors errors) {
        super(parent);
        this.errors = errors;
    }

    /** Refuses a duration that is a bare number: Spring Boot takes it for milliseconds, and Go refuses it. */
    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        ConfigurationProperty property = context.getConfigurationProperty();
        if (result instanceof Duration duration
                && !duration.isZero()
                && PREFIX.isAncestorOf(name)
                && property != null
                && BARE_NUMBER
                        .matcher(String.valueOf(property.getValue()).strip())
                        .matches()) {
            errors.add(name, property, "must be " + allowed(Duration.class, null) + "; a number needs its unit");
        }
        return super.onSuccess(name, target, context, result);
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) throws Exception {
        ConfigurationProperty property = context.getConfigurationProperty();
        if (!PREFIX.isAncestorOf(name) || property == null) {
            return super.onFailure(name, target, context, error);
        }
        Class<?> type = target.getType().resolve(Object.class);
        Object value = property.getValue();
        if (type == Duration.class && value != null) {
            try {
                return GoDuration.parse(value.toString().strip());
            } catch (IllegalArgumentException notGoEither) {
                // Falls through to the error.
            }
        }
        if ((type == boolean.class || type == Boolean.class) && value != null) {
            // The rest of what Go's strconv.ParseBool accepts is accepted by Spring as well.
            switch (value.toString().strip()) {
                case "t", "T" -> {
                    return true;
                }
                case "f", "F" -> {
                    return false;
                }
                default -> {
                    // Falls through to the error.
                }
            }
        }
        errors.add(name, property, "must be " + allowed(type, error));
        return null;
    }

    private static String allowed(Class<?> type, @Nullable Throwable error) {
        if (type == Duration.class) {
            return "a duration, such as 15s, 1m30s or 500ms";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == int.class || type == Integer.class) {
            return "a whole number";
        }
        if (type == double.class || type == Double.class) {
            return "a number";
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant ->
                            ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .collect(Collectors.joining(" or "));
        }
        return "a value that can be read" + (error == null ? "" : ": " + error.getMessage());
    }
}

package io.controllermanager.spring.config;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * Checks what is set, and reports what is wrong, with where it was set.
 *
 * @param prefix what the names of the properties begin with, with a dot at its end
 */
record PropertyChecks(Environment environment, ConfigurationErrors errors, String prefix) {

    static final Predicate<Duration> POSITIVE = duration -> !duration.isNegative() && !duration.isZero();

    static final Predicate<Duration> NOT_NEGATIVE = duration -> !duration.isNegative();

    /** The same for properties whose names go on like this. */
    PropertyChecks below(String more) {
        return new PropertyChecks(environment, errors, prefix + more + ".");
    }

    /** Whether a value is right or missing; reports one that is not right. */
    <T> boolean check(String property, @Nullable T value, Predicate<? super T> right, String message) {
        if (value == null || right.test(value)) {
            return true;
        }
        report(property, value, message);
        return false;
    }

    boolean checkPositive(String property, @Nullable Duration duration) {
        return check(property, duration, POSITIVE, "must be longer than 0");
    }

    boolean checkAtLeastOne(String property, @Nullable Integer value) {
        return check(property, value, number -> number >= 1, "must be at least 1");
    }

    /** Reports a value, unless another check has found something in it. */
    void report(String property, Object value, String message) {
        if (errors.has(prefix + property)) {
            return;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix + property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                errors.add(name, found, message);
                return;
            }
        }
        String text = value instanceof Duration duration ? GoDuration.format(duration) : value.toString();
        errors.add(new ConfigurationError(prefix + property, text, null, message));
    }

    /** Reports the wrong elements of a list: each by its index where the list was set element by element, else together. */
    void checkElements(
            String property, List<String> elements, Predicate<String> wrong, Function<List<String>, String> message) {
        List<String> all =
                elements.stream().map(String::strip).filter(wrong).distinct().toList();
        if (all.isEmpty()) {
            return;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix + property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getConfigurationProperty(name) != null) {
                break;
            }
            if (source.getConfigurationProperty(name.append("[0]")) != null) {
                for (int i = 0; i < elements.size(); i++) {
                    String element = elements.get(i).strip();
                    if (wrong.test(element)) {
                        report(property + "[" + i + "]", element, message.apply(List.of(element)));
                    }
                }
                return;
            }
        }
        report(property, String.join(",", elements), message.apply(all));
    }
}

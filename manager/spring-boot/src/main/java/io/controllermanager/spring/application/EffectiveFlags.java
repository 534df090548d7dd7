package io.controllermanager.spring.application;

import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.spring.config.GoDuration;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.PropertyAccessor;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * What the flags are: as given on the command line, or what counts without. With them each property that somebody has set, of those
 * that are about the controller manager, its logs and its web server. What may be a secret is not shown.
 *
 * @param properties as they are bound
 */
public record EffectiveFlags(ConfigurableEnvironment environment, ControllerManagerProperties properties)
        implements Supplier<Map<String, String>> {

    /** As Kubernetes writes it. */
    private static final String CLASSIFIED = "CLASSIFIED";

    /** In the spelling of environment variables too. */
    private static final Pattern SHOWN =
            Pattern.compile("(controller[-_]?manager|logging|management|server)[._].+", Pattern.CASE_INSENSITIVE);

    private static final Pattern SECRET = Pattern.compile(
            "passw|passphrase|pwd|secret|token|credential|headers|api[-_.]?key|key(\\[.*])?$",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern DASHED = Pattern.compile("-(.)");
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/?#\\s]*@");
    private static final Pattern QUERY_SECRET = Pattern.compile(
            "(?<=[?&;])([^=&;\\s]*(?:passw|pwd|secret|token|key|sig)[^=&;\\s]*=)[^&;\\s]*", Pattern.CASE_INSENSITIVE);

    @Override
    public Map<String, String> get() {
        Map<String, String> all = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> set
                    && !source.getName().equals(DefaultPropertiesPropertySource.NAME)
                    && !source.getName().equals(FlagPropertySource.NAME)) {
                for (String name : set.getPropertyNames()) {
                    if (SHOWN.matcher(name).matches()) {
                        all.computeIfAbsent(name, this::property);
                    }
                }
            }
        }
        Flag.ALL.stream()
                .filter(flag -> !flag.name().contains("<"))
                .forEach(flag -> all.put(flag.name(), shown(effective(flag.property()))));
        if (environment.getPropertySources().get(FlagPropertySource.NAME) instanceof FlagPropertySource given) {
            // Not those that are properties, nor what a flag sets besides its own.
            given.settings().forEach((property, setting) -> {
                String flag = setting.flag().replaceFirst("^-+", "");
                if (Flag.find(flag)
                        .filter(match -> match.property().equals(property))
                        .isPresent()) {
                    all.put(flag, shown(setting.given()));
                }
            });
        }
        return all;
    }

    private String property(String name) {
        return SECRET.matcher(name).find() ? CLASSIFIED : shown(String.valueOf(environment.getProperty(name)));
    }

    private String effective(String property) {
        String name = camelCase(property.replaceFirst("^" + ControllerManagerProperties.PREFIX + "\\.", ""));
        PropertyAccessor bound = PropertyAccessorFactory.forDirectFieldAccess(properties);
        // Others' properties are bound elsewhere, and have no value here unless somebody sets one.
        return bound.isReadableProperty(name)
                ? text(bound.getPropertyValue(name))
                : environment.getProperty(property, "");
    }

    private static String camelCase(String property) {
        return DASHED.matcher(property).replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Collection<?> many) {
            return many.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return value == null ? "" : value instanceof Duration duration ? GoDuration.format(duration) : value.toString();
    }

    /** Without what is a secret within it: a key in PEM, and the credentials of a URL. */
    private static String shown(String value) {
        if (value.contains("-----BEGIN")) {
            return CLASSIFIED;
        }
        String text = USER_INFO.matcher(value).replaceAll(CLASSIFIED + "@");
        return QUERY_SECRET.matcher(text).replaceAll("$1" + CLASSIFIED);
    }
}

package io.controllermanager.spring.application;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.AotDetector;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.event.ApplicationFailedEvent;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.context.event.SpringApplicationEvent;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.ApplicationListener;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Starts an application, if it is in a jar, from the context that Spring's ahead-of-time processing has prepared in the build,
 * provided that each property that the context's conditions asked for is as it was there; else Spring judges the conditions as
 * always. In the build,
 * records what the conditions ask for. Whoever sets the system property {@code spring.aot.enabled} decides instead.
 */
final class PreparedContext implements ApplicationListener<SpringApplicationEvent>, Ordered {

    /** Stands among the names of properties for the profiles that are active, in whatever way they became so. */
    static final String PROFILES = "active profiles";

    private static final Logger log = LoggerFactory.getLogger(PreparedContext.class);

    private boolean taken;

    @Override
    public void onApplicationEvent(SpringApplicationEvent event) {
        if (event instanceof ApplicationEnvironmentPreparedEvent prepared) {
            onEnvironment(prepared);
        } else if (taken && (event instanceof ApplicationStartedEvent || event instanceof ApplicationFailedEvent)) {
            // The flag is the process's, and another application may follow in it.
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
            taken = false;
        }
    }

    private void onEnvironment(ApplicationEnvironmentPreparedEvent event) {
        Class<?> main = event.getSpringApplication().getMainApplicationClass();
        // With other sources beside it, as in tests, it is another context.
        if (main == null || !event.getSpringApplication().getAllSources().equals(Set.of(main))) {
            return;
        }
        ConfigurableEnvironment environment = event.getEnvironment();
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            environment.getPropertySources().addFirst(new RecordingPropertySource(resource(main)));
        } else if (SpringProperties.getProperty(AotDetector.AOT_ENABLED) == null) {
            PreparedConditions conditions = conditions(main);
            if (conditions != null) {
                decide(conditions, environment);
            }
        }
    }

    private void decide(PreparedConditions conditions, ConfigurableEnvironment environment) {
        String difference = conditions.difference(names(environment, conditions), name -> value(environment, name));
        if (difference == null) {
            SpringProperties.setFlag(AotDetector.AOT_ENABLED);
            taken = true;
            log.debug("The application starts from the context that the build has prepared");
        } else {
            log.debug("The application does not start from the context that the build has prepared: {}", difference);
        }
    }

    /** The value of a property, or what {@link #PROFILES} stands for; null if it is not set. */
    static @Nullable String value(ConfigurableEnvironment environment, String name) {
        if (!name.equals(PROFILES)) {
            return environment.getProperty(name);
        }
        String[] active = environment.getActiveProfiles();
        return active.length == 0 ? null : String.join(",", active);
    }

    /** What the build has recorded of an application. */
    private static String resource(Class<?> main) {
        return "META-INF/controller-manager/prepared/" + main.getName() + ".properties";
    }

    private static @Nullable PreparedConditions conditions(Class<?> main) {
        String name = resource(main);
        URL resource = main.getClassLoader().getResource(name);
        // A folder of classes is being worked on, and may have changed since the build.
        if (resource == null || resource.getProtocol().equals("file")) {
            return null;
        }
        try (InputStream text = resource.openStream()) {
            return PreparedConditions.parse(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    private static List<String> names(ConfigurableEnvironment environment, PreparedConditions conditions) {
        List<String> names = new ArrayList<>(List.of(PROFILES));
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                names.addAll(List.of(enumerable.getPropertyNames()));
            } else if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                conditions.missing().stream().filter(source::containsProperty).forEach(names::add);
            }
        }
        return names;
    }

    /** After all that sets something. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}

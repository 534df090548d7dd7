package io.controllermanager.spring.application;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.cloud.CloudPlatform;
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
 * Starts an application from the context that Spring's ahead-of-time processing has prepared in the build, if each property
 * that the context's conditions asked for is as it was there; else Spring judges the conditions as always. In the build,
 * records what the conditions ask for. Only an application that is one jar with its libraries, as {@code java -jar} starts it,
 * has the class path of the build. Whoever sets the system property {@code spring.aot.enabled} decides instead.
 */
final class PreparedContext implements ApplicationListener<SpringApplicationEvent>, Ordered {

    /** Stands among the names of properties for the profiles, in whatever way they became active. */
    static final String PROFILES = "the profiles";

    /** The same for the version of Java. */
    static final String JAVA = "the version of Java";

    /** The same for the platform that the application finds itself on. */
    static final String PLATFORM = "the platform";

    private static final Logger log = LoggerFactory.getLogger(PreparedContext.class);

    private boolean taken;

    @Override
    public void onApplicationEvent(SpringApplicationEvent event) {
        if (event instanceof ApplicationEnvironmentPreparedEvent prepared) {
            onEnvironment(prepared.getSpringApplication(), prepared.getEnvironment());
        } else if (taken && (event instanceof ApplicationStartedEvent || event instanceof ApplicationFailedEvent)) {
            // The flag is the process's, and another application may follow in it.
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
            taken = false;
        }
    }

    private void onEnvironment(SpringApplication application, ConfigurableEnvironment environment) {
        Class<?> main = application.getMainApplicationClass();
        // With other sources beside it, as in tests, it is another context.
        if (main == null || !application.getAllSources().equals(Set.of(main))) {
            return;
        }
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            environment.getPropertySources().addFirst(new RecordingPropertySource(resource(main)));
        } else if (SpringProperties.getProperty(AotDetector.AOT_ENABLED) == null) {
            PreparedConditions conditions = conditions(main);
            if (conditions != null) {
                decide(difference(conditions, application, environment));
            }
        }
    }

    private void decide(@Nullable String difference) {
        if (difference == null) {
            SpringProperties.setFlag(AotDetector.AOT_ENABLED);
            taken = true;
            log.debug("The application starts from the context that the build has prepared");
        } else {
            log.debug(
                    "The application does not start from the context that the build has prepared, because of {}",
                    difference);
        }
    }

    private static @Nullable String difference(
            PreparedConditions conditions, SpringApplication application, ConfigurableEnvironment environment) {
        if (System.getProperty("java.class.path", "").contains(File.pathSeparator)) {
            return "a class path of several entries";
        }
        if (application.getEnvironmentPrefix() != null) {
            return "a prefix of environment variables";
        }
        if (environment.containsProperty("debug")) {
            // Whoever asks for the report of conditions wants to see them judged.
            return "debug";
        }
        return conditions.difference(
                names(environment, conditions.hashes().keySet()), name -> value(environment, name));
    }

    /** The value of a property, or what one of the other names stands for; null if it is not set. */
    static @Nullable String value(ConfigurableEnvironment environment, String name) {
        return switch (name) {
            case PROFILES -> List.of(environment.getActiveProfiles()) + " " + List.of(environment.getDefaultProfiles());
            case JAVA -> Integer.toString(Runtime.version().feature());
            case PLATFORM -> String.valueOf(CloudPlatform.getActive(environment));
            default -> environment.getProperty(name);
        };
    }

    /**
     * Every name that is set.
     *
     * @param asked those to look for in sources that cannot list theirs
     */
    static List<String> names(ConfigurableEnvironment environment, Set<String> asked) {
        List<String> names = new ArrayList<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                names.addAll(List.of(enumerable.getPropertyNames()));
            } else if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                asked.stream().filter(source::containsProperty).forEach(names::add);
            }
        }
        return names;
    }

    /** What the build has recorded of an application. */
    private static String resource(Class<?> main) {
        return "META-INF/controller-manager/prepared/" + main.getName() + ".properties";
    }

    private static @Nullable PreparedConditions conditions(Class<?> main) {
        String name = resource(main);
        try (InputStream text = main.getClassLoader().getResourceAsStream(name)) {
            return text == null
                    ? null
                    : PreparedConditions.parse(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    /** After all listeners that set something. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}

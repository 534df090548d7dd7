package io.controllermanager.spring.application;

import io.controllermanager.spring.config.ControllerManagerProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.commons.logging.Log;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.util.ClassUtils;

/**
 * Gives an application that hosts controllers the defaults of {@code META-INF/controller-manager/defaults.properties}. They
 * are of lowest precedence: whatever the application sets, in whatever way, counts in their place.
 */
final class DefaultsPostProcessor implements EnvironmentPostProcessor, Ordered {

    /** Prints which object a line is about that is written during a reconcile; nothing elsewhere. */
    private static final String RECONCILE =
            "%replace(%replace([%X{controller} %X{namespace}/%X{name} %X{reconcileID}] )"
                    + "{'^\\[.* \\] $', ''}){'^\\[(\\S+) /?(.*) \\S+\\] $', '[$1 $2] '}";

    private static final String LEASE_NAME = "controller-manager.leader-election.resource-name";

    private static final String DRY_RUN = ControllerManagerProperties.PREFIX + ".dry-run";

    private final Log log;

    DefaultsPostProcessor(DeferredLogFactory logs) {
        this.log = logs.getLog(DefaultsPostProcessor.class);
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!ControllerManagerProperties.isEnabled(environment)) {
            return;
        }
        if (environment.getProperty(DRY_RUN, Boolean.class, false)) {
            prepareDryRun(environment);
        }
        Map<String, Object> defaults = new HashMap<>();
        load("defaults").forEach((name, value) -> defaults.put(name.toString(), value));
        // As Spring Boot decides it, which sets this property as a default as well, before or after.
        boolean tracing = ClassUtils.isPresent("io.micrometer.tracing.Tracer", application.getClassLoader())
                && environment.getProperty("management.tracing.export.enabled", Boolean.class, Boolean.TRUE);
        boolean traced = environment.getProperty("logging.expect-correlation-id", Boolean.class, tracing);
        defaults.put("logging.pattern.correlation", traced ? RECONCILE + "%correlationId" : RECONCILE);
        Class<?> main = application.getMainApplicationClass();
        String version = main == null ? null : ApplicationVersion.of(main).version();
        if (version != null) {
            defaults.put("spring.application.version", version);
        }
        String name = environment.getProperty("spring.application.name", "");
        if (!leaseName(name).isEmpty()) {
            defaults.put(LEASE_NAME, leaseName(name));
        } else if (environment.getProperty(LEASE_NAME) == null) {
            log.warn(
                    "spring.application.name is not set: the Lease of leader election is called controller-manager, and"
                            + " another application without a name would compete for it in the same namespace");
        }
        PropertySource<?> own = environment.getPropertySources().get(DefaultPropertiesPropertySource.NAME);
        if (own instanceof MapPropertySource given) {
            defaults.putAll(given.getSource());
        }
        DefaultPropertiesPropertySource.addOrMerge(defaults, environment.getPropertySources());
    }

    /** It serves nothing, and leaves standard output to the plan. */
    private static void prepareDryRun(ConfigurableEnvironment environment) {
        Map<String, Object> own = Map.of("spring.main.web-application-type", "none", "spring.main.banner-mode", "off");
        environment.getPropertySources().addFirst(new MapPropertySource("dryRun", own));
        System.setOut(System.err);
    }

    /** The application's name as Kubernetes allows it: in lower case, with dashes for what is no letter, digit or dot. */
    static String leaseName(String applicationName) {
        return applicationName
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9.]+", "-")
                .replaceAll("^[-.]+|[-.]+$", "");
    }

    /** One of the starter's own files of properties. */
    static Properties load(String name) {
        try {
            return PropertiesLoaderUtils.loadProperties(new ClassPathResource(
                    "META-INF/controller-manager/" + name + ".properties",
                    DefaultsPostProcessor.class.getClassLoader()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** After all that sets something, as this asks for it. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}

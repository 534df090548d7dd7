package io.controllermanager.spring.config;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Finds what is set below {@code controller-manager} but does not exist, wherever it is set. */
final class UnknownProperties {

    private static final Pattern OURS = Pattern.compile("CONTROLLER_?MANAGER_.*", Pattern.CASE_INSENSITIVE);

    /**
     * What the kubelet sets in every container for a Service called controller-manager in its namespace: nobody's
     * mistake.
     */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "[A-Z0-9_]+_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    private static final String NONE = "no such property";

    private final Environment environment;
    private final Collection<String> controllers;
    private final KnownProperties known;

    UnknownProperties(Environment environment, Collection<String> controllers, Collection<Class<?>> others) {
        this.environment = environment;
        this.controllers = controllers;
        this.known = new KnownProperties(controllers, others);
    }

    void report(ConfigurationErrors errors) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
                report(variables, errors);
            } else if (source instanceof IterableConfigurationPropertySource properties) {
                properties.stream()
                        .filter(name -> CollectingBindHandler.PREFIX.isAncestorOf(name) && !known.contains(name))
                        .forEach(name -> report(name, properties.getConfigurationProperty(name), errors));
            }
        }
    }

    private void report(
            ConfigurationPropertyName name, @Nullable ConfigurationProperty property, ConfigurationErrors errors) {
        int controllerElement = CollectingBindHandler.CONTROLLER.getNumberOfElements();
        if (CollectingBindHandler.CONTROLLER.isAncestorOf(name)) {
            String controller = name.getElement(controllerElement, ConfigurationPropertyName.Form.ORIGINAL);
            if (!controllers.contains(controller)) {
                errors.add(name, property, noSuchController(List.of(controller), controllers));
                return;
            }
        }
        String nearest = known.nearestTo(name);
        errors.add(name, property, nearest == null ? NONE : NONE + " (did you mean " + nearest + "?)");
    }

    private void report(SystemEnvironmentPropertySource variables, ConfigurationErrors errors) {
        for (String variable : variables.getPropertyNames()) {
            if (OURS.matcher(variable).matches()
                    && !known.containsVariable(variable)
                    && !SERVICE_LINK.matcher(variable).matches()) {
                String nearest = known.nearestVariableTo(variable);
                String message = nearest == null ? NONE : NONE + " (did you mean " + nearest + "?)";
                if (variable.toUpperCase(Locale.ROOT).matches("CONTROLLER_?MANAGER_CONTROLLER_.*")) {
                    message += "; known controllers are " + String.join(", ", new TreeSet<>(controllers));
                }
                errors.add(new ConfigurationError(
                        variable, String.valueOf(variables.getProperty(variable)), "environment variable", message));
            }
        }
    }

    static String noSuchController(List<String> names, Collection<String> controllers) {
        return (names.size() == 1 ? "no controller is called " : "no controllers are called ")
                + names.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "))
                + (controllers.isEmpty()
                        ? "; there are none"
                        : "; known are " + String.join(", ", new TreeSet<>(controllers)));
    }
}

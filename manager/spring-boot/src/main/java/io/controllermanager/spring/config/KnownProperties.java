package io.controllermanager.spring.config;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** The names of all properties that exist, from the property classes, which are records. */
final class KnownProperties {

    private final Set<ConfigurationPropertyName> names = new LinkedHashSet<>();
    private final Set<String> variables = new LinkedHashSet<>();

    KnownProperties(Collection<String> controllers, Collection<Class<?>> others) {
        collect(CollectingBindHandler.PREFIX, ControllerManagerProperties.class);
        for (Class<?> other : others) {
            ConfigurationProperties annotation = other.getAnnotation(ConfigurationProperties.class);
            if (annotation != null
                    && other.isRecord()
                    && annotation.value().startsWith(CollectingBindHandler.PREFIX + ".")) {
                collect(ConfigurationPropertyName.of(annotation.value()), other);
            }
        }
        for (String controller : controllers) {
            collect(CollectingBindHandler.CONTROLLER.append(controller), ControllerProperties.class);
        }
        for (ConfigurationPropertyName name : names) {
            variables.add(variable(name.toString().replace("-", "")));
            variables.add(variable(name.toString().replace('-', '_')));
        }
    }

    /** Whether a name is one of the properties, or an element of one that is a list. */
    boolean contains(ConfigurationPropertyName name) {
        return names.contains(name.isLastElementIndexed() ? name.getParent() : name);
    }

    /** Whether an environment variable is one of the properties, in either of the spellings that Spring Boot reads. */
    boolean containsVariable(String variable) {
        String upper = variable.toUpperCase(Locale.ROOT);
        return variables.contains(upper) || variables.contains(upper.replaceFirst("_\\d+_?$", ""));
    }

    /** The property that a name may have meant, null if none is similar. */
    @Nullable
    String nearestTo(ConfigurationPropertyName name) {
        // What all have in common tells nothing.
        String prefix = CollectingBindHandler.PREFIX + ".";
        String nearest = Nearest.to(
                name.toString().substring(prefix.length()),
                names.stream()
                        .map(known -> known.toString().substring(prefix.length()))
                        .toList());
        return nearest == null ? null : prefix + nearest;
    }

    /** The environment variable that a name may have meant, null if none is similar. */
    @Nullable
    String nearestVariableTo(String variable) {
        return Nearest.to(variable.toUpperCase(Locale.ROOT), variables);
    }

    private void collect(ConfigurationPropertyName prefix, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(component.getName()));
            if (component.getType().isRecord()) {
                collect(name, component.getType());
            } else {
                names.add(name);
            }
        }
    }

    private static String variable(String name) {
        return name.replace('.', '_').toUpperCase(Locale.ROOT);
    }
}

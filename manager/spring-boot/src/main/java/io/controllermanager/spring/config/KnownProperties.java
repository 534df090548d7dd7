package io.controllermanager.spring.config;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** The names of all properties that exist, from the property classes. */
final class KnownProperties {

    private final Set<ConfigurationPropertyName> names = new LinkedHashSet<>();
    private final Set<String> variables = new LinkedHashSet<>();

    KnownProperties(Collection<String> controllers, Collection<Class<?>> others) {
        collect(CollectingBindHandler.PREFIX, ControllerManagerProperties.class);
        for (Class<?> other : others) {
            ConfigurationProperties annotation = other.getAnnotation(ConfigurationProperties.class);
            if (annotation != null && annotation.value().startsWith(CollectingBindHandler.PREFIX + ".")) {
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
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                ConfigurationPropertyName name = prefix.append(dashed(component.getName()));
                if (component.getType().isRecord()) {
                    collect(name, component.getType());
                } else {
                    names.add(name);
                }
            }
            return;
        }
        List<String> setters = Arrays.stream(type.getMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("set"))
                .map(name -> name.substring("set".length()))
                .toList();
        for (String setter : setters) {
            names.add(prefix.append(dashed(setter)));
        }
        for (Method method : type.getMethods()) {
            String property = method.getName().replaceFirst("^get", "");
            if (method.getName().startsWith("get")
                    && method.getParameterCount() == 0
                    && !Modifier.isStatic(method.getModifiers())
                    && method.getDeclaringClass() != Object.class
                    && !setters.contains(property)
                    && !Map.class.isAssignableFrom(method.getReturnType())) {
                collect(prefix.append(dashed(property)), method.getReturnType());
            }
        }
    }

    private static String dashed(String property) {
        return DataObjectPropertyName.toDashedForm(
                property.substring(0, 1).toLowerCase(Locale.ROOT) + property.substring(1));
    }

    private static String variable(String name) {
        return name.replace('.', '_').toUpperCase(Locale.ROOT);
    }
}

package io.controllermanager.promises;

import io.controllermanager.app.support.PropertyMetadata;
import io.controllermanager.spring.config.ControllerManagerProperties;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.util.ClassUtils;

/** The properties, each with its type: {@code property NAME: Duration}, and {@code property NAME=VALUE} for an enum. */
final class PromisedProperties {

    private PromisedProperties() {}

    static Set<String> now() throws IOException {
        Set<String> lines = new TreeSet<>();
        add(lines, "", PropertyMetadata.ofProcess());
        add(lines, ControllerManagerProperties.PREFIX + ".controller.<name>.", PropertyMetadata.ofEachController());
        return lines;
    }

    private static void add(Set<String> lines, String prefix, List<Map<String, Object>> properties) {
        for (Map<String, Object> property : properties) {
            String line = "property " + prefix + property.get("name");
            String type = String.valueOf(property.get("type"));
            Object[] values = type.contains("<")
                    ? null
                    : ClassUtils.resolveClassName(type, PromisedProperties.class.getClassLoader())
                            .getEnumConstants();
            if (values == null) {
                lines.add(line + ": " + type.replaceAll("[a-z.]+\\.(?=[A-Z])", ""));
            } else {
                lines.add(line + ": enum");
                for (Object value : values) {
                    lines.add(line + "="
                            + ((Enum<?>) value).name().toLowerCase(Locale.ROOT).replace('_', '-'));
                }
            }
        }
    }
}

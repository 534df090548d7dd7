package io.controllermanager.app.support;

import io.controllermanager.spring.config.ControllerManagerProperties;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.json.JsonParserFactory;

/** What the metadata for Spring Boot says of the properties: of each its name, type, default value and description. */
public final class PropertyMetadata {

    private static final String TYPE_METADATA =
            "META-INF/spring/configuration-metadata/io.controllermanager.spring.config.ControllerProperties.json";

    private PropertyMetadata() {}

    /** The properties of the process, by name. */
    public static List<Map<String, Object>> ofProcess() throws IOException {
        return properties("META-INF/spring-configuration-metadata.json", ControllerManagerProperties.PREFIX + ".");
    }

    /** The settings of each controller, by name; they stand behind the controller's own. */
    public static List<Map<String, Object>> ofEachController() throws IOException {
        return properties(TYPE_METADATA, "");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> properties(String resource, String prefix) throws IOException {
        List<Map<String, Object>> found = new ArrayList<>();
        for (URL url : Collections.list(PropertyMetadata.class.getClassLoader().getResources(resource))) {
            try (InputStream json = url.openStream()) {
                String text = new String(json.readAllBytes(), StandardCharsets.UTF_8);
                Object properties =
                        JsonParserFactory.getJsonParser().parseMap(text).get("properties");
                for (Map<String, Object> property : (List<Map<String, Object>>) Objects.requireNonNull(properties)) {
                    if (String.valueOf(property.get("name")).startsWith(prefix)) {
                        found.add(property);
                    }
                }
            }
        }
        found.sort(Comparator.comparing(property -> String.valueOf(property.get("name"))));
        return found;
    }
}

package io.controllermanager.testing.apiserver.http;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A media type with its parameters, as {@code Accept} and {@code Content-Type} name it.
 *
 * @param name such as {@code application/json}
 * @param parameters such as {@code as=Table}
 */
public record MediaType(String name, Map<String, String> parameters) {

    public static final String JSON = "application/json";
    public static final String YAML = "application/yaml";

    /** The types of a header in the order in which they stand there. */
    public static List<MediaType> list(String header) {
        return Stream.of(header.split(",", -1))
                .filter(part -> !part.isBlank())
                .map(MediaType::parse)
                .toList();
    }

    public static MediaType parse(String text) {
        String[] parts = text.split(";", -1);
        Map<String, String> parameters = new HashMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] parameter = parts[i].strip().split("=", 2);
            parameters.put(parameter[0], parameter.length == 2 ? parameter[1] : "");
        }
        return new MediaType(parts[0].strip().toLowerCase(Locale.ROOT), Map.copyOf(parameters));
    }

    public String parameter(String parameter) {
        return parameters.getOrDefault(parameter, "");
    }

    /** Whether JSON answers to it. */
    public boolean takesJson() {
        return name.equals(JSON) || name.equals("*/*") || name.equals("application/*");
    }

    /** Whether YAML is wanted. */
    public boolean isYaml() {
        return name.equals(YAML) || name.equals("application/x-yaml");
    }
}

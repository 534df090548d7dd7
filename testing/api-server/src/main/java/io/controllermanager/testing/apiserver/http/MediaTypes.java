package io.controllermanager.testing.apiserver.http;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import okhttp3.MediaType;

/** The media types that there are here. */
public final class MediaTypes {

    public static final String JSON = "application/json";
    public static final String YAML = "application/yaml";

    private MediaTypes() {}

    /** The types of an {@code Accept} or {@code Content-Type} header in the order in which they stand there. */
    public static List<MediaType> of(String header) {
        return Stream.of(header.split(",", -1))
                .map(part -> MediaType.parse(part.strip()))
                .filter(Objects::nonNull)
                .toList();
    }

    /** A type without its parameters. */
    public static String name(MediaType type) {
        return type.type() + "/" + type.subtype();
    }

    /** Whether JSON answers to it. */
    public static boolean takesJson(MediaType type) {
        return List.of(JSON, "*/*", "application/*").contains(name(type));
    }

    public static boolean isYaml(MediaType type) {
        return List.of(YAML, "application/x-yaml").contains(name(type));
    }
}

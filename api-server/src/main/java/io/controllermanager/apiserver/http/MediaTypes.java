package io.controllermanager.apiserver.http;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import okhttp3.MediaType;

/** The media types that there are here. */
public final class MediaTypes {

    public static final String JSON = "application/json";
    public static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    public static final String YAML = "application/yaml";
    public static final String OPEN_API = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    private MediaTypes() {}

    /**
     * The types of an {@code Accept} or {@code Content-Type} header in the order in which they stand there. Kubernetes'
     * clients name that of OpenAPI with an {@code @}, which no media type has.
     */
    public static List<MediaType> of(String header) {
        return Stream.of(header.split(",", -1))
                .map(part -> MediaType.parse(part.strip().replace("spec.v2@", "spec.v2.")))
                .filter(Objects::nonNull)
                .toList();
    }

    /** A type without its parameters. */
    public static String name(MediaType type) {
        return type.type() + "/" + type.subtype();
    }

    /** Whether JSON answers to it. Kubernetes' clients that ask for protobuf read what the answer says that it is. */
    public static boolean takesJson(MediaType type) {
        return List.of(JSON, PROTOBUF, "*/*", "application/*").contains(name(type));
    }

    public static boolean isYaml(String name) {
        return List.of(YAML, "application/x-yaml").contains(name);
    }

    /** The name of what a request's body is in; empty where it does not say. */
    public static String ofBody(Request request) {
        List<MediaType> types = of(request.header("Content-Type"));
        return types.isEmpty() ? "" : name(types.get(0));
    }
}

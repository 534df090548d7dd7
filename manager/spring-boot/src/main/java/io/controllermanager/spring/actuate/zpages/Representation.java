package io.controllermanager.spring.actuate.zpages;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * How a page is answered.
 *
 * @param version of the object; empty where there is none
 */
record Representation(Format format, String version) {

    static final String GROUP = "config.k8s.io";

    private static final Set<String> VERSIONS = Set.of("v1alpha1", "v1beta1");
    private static final MediaType YAML = MediaType.parseMediaType("application/yaml");

    /** What a page can be. */
    enum Format {
        TEXT,
        JSON,
        YAML,
        /** Nothing that the caller accepts. */
        NONE
    }

    /**
     * By the header {@code Accept}, as Kubernetes reads it: text, unless a media type asks for an object by its kind, group and
     * version.
     */
    static Representation of(@Nullable String accept, String kind) {
        if (accept == null || accept.isBlank()) {
            return new Representation(Format.TEXT, "");
        }
        List<MediaType> wanted;
        try {
            wanted = MediaType.parseMediaTypes(accept);
        } catch (InvalidMediaTypeException e) {
            return new Representation(Format.NONE, "");
        }
        return wanted.stream()
                .sorted(Comparator.comparingDouble(MediaType::getQualityValue).reversed())
                .map(type -> of(type, kind))
                .filter(representation -> representation.format() != Format.NONE)
                .findFirst()
                .orElse(new Representation(Format.NONE, ""));
    }

    private static Representation of(MediaType wanted, String kind) {
        String as = wanted.getParameter("as");
        String group = wanted.getParameter("g");
        String version = wanted.getParameter("v");
        if (as == null && group == null && version == null) {
            return new Representation(wanted.includes(MediaType.TEXT_PLAIN) ? Format.TEXT : Format.NONE, "");
        }
        if (!kind.equals(as) || !GROUP.equals(group) || version == null || !VERSIONS.contains(version)) {
            return new Representation(Format.NONE, "");
        }
        Format format = wanted.includes(MediaType.APPLICATION_JSON)
                ? Format.JSON
                : wanted.includes(YAML) ? Format.YAML : Format.NONE;
        return new Representation(format, format == Format.NONE ? "" : version);
    }
}

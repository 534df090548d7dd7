package io.controllermanager.spring.actuate.zpages;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.json.JsonWriter;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** A page as text for people, and as an object of the group {@code config.k8s.io} for programs. */
public abstract class ZPage extends HttpServlet {

    private static final long serialVersionUID = 1;

    private static final String NOT_MACHINE_PARSEABLE =
            "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is"
                    + " for debugging purposes only.\n";

    private static final JsonWriter<Map<String, Object>> JSON =
            JsonWriter.<Map<String, Object>>standard().withNewLineAtEnd();

    private final String kind;
    private final String component;

    ZPage(String kind, String component) {
        this.kind = kind;
        this.component = component;
    }

    /** What comes after the heading. */
    abstract String text();

    /** The object's fields after its metadata, in their order. */
    abstract Map<String, Object> fields();

    @Override
    protected final void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Representation representation = Representation.of(request.getHeader("Accept"), kind);
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        response.setHeader("Cache-Control", "no-cache, private");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (representation.version().equals("v1alpha1")) {
            response.setHeader(
                    "Warning",
                    "299 - \"This version of the %s endpoint is deprecated. Please use a newer version.\""
                            .formatted(name()));
        }
        switch (representation.format()) {
            case TEXT ->
                write(
                        response,
                        "text/plain",
                        "\n%s %s\n%s%s".formatted(component, name(), NOT_MACHINE_PARSEABLE, text()));
            case JSON -> write(response, "application/json", JSON.writeToString(object(representation.version())));
            case YAML -> write(response, "application/yaml", yaml(object(representation.version())));
            case NONE -> {
                response.setStatus(HttpServletResponse.SC_NOT_ACCEPTABLE);
                write(response, "application/json", JSON.writeToString(notAcceptable()));
            }
        }
    }

    private String name() {
        return kind.toLowerCase(Locale.ROOT);
    }

    private Map<String, Object> object(String version) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("kind", kind);
        object.put("apiVersion", Representation.GROUP + "/" + version);
        object.put("metadata", Map.of("name", component));
        object.putAll(fields());
        return object;
    }

    private static Map<String, Object> notAcceptable() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("kind", "Status");
        status.put("apiVersion", "v1");
        status.put("metadata", Map.of());
        status.put("status", "Failure");
        status.put(
                "message",
                "only the following media types are accepted: application/json, application/yaml, text/plain");
        status.put("reason", "NotAcceptable");
        status.put("code", HttpServletResponse.SC_NOT_ACCEPTABLE);
        return status;
    }

    private static String yaml(Map<String, Object> object) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        return new Yaml(options).dump(object);
    }

    private static void write(HttpServletResponse response, String type, String body) throws IOException {
        response.setContentType(type);
        response.getWriter().write(body);
    }
}

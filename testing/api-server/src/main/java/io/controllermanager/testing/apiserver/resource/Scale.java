package io.controllermanager.testing.apiserver.resource;

import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Where an object keeps what the scale subresource shows.
 *
 * @param specReplicas a path such as {@code .spec.replicas}
 * @param statusReplicas a path such as {@code .status.replicas}
 * @param selector the path of a selector's text; empty where the selector is {@code .spec.selector}'s, or there is none
 */
public record Scale(String specReplicas, String statusReplicas, String selector) {

    public static final String API_VERSION = "autoscaling/v1";

    private static final Schema SCHEMA = Schema.of(Json.readOwn("""
            {"type": "object", "properties": {
              "spec": {"type": "object", "properties": {"replicas": {"type": "integer", "format": "int32"}}},
              "status": {"type": "object", "properties": {
                "replicas": {"type": "integer", "format": "int32"}, "selector": {"type": "string"}}}}}
            """.getBytes(StandardCharsets.UTF_8)));

    private static final List<Column> COLUMNS = List.of(
            Column.parse("Desired:integer=.spec.replicas"),
            Column.parse("Available:integer=.status.replicas"),
            Column.parse("Age=@.metadata.creationTimestamp"));

    /** The type of what the subresource shows of such objects. */
    public static ResourceType type(ResourceType scaled) {
        return new ResourceType(
                "autoscaling",
                "v1",
                "Scale",
                "ScaleList",
                "scales",
                "scale",
                scaled.namespaced(),
                List.of(),
                List.of(),
                scaled.storage(),
                "v1",
                false,
                null,
                false,
                SCHEMA,
                scaled.metadata(),
                null,
                null,
                Map.of(),
                List.of(),
                COLUMNS,
                "",
                "",
                Map.of());
    }
}

package ${package};

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.PrinterColumn;
import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message that a ConfigMap of the same name carries. */
@CustomResource(group = "${group}", version = "v1")
@PrinterColumn(name = "Message", jsonPath = ".spec.message")
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
public final class ${kind} extends CustomObject<${kind}.Spec, ${kind}.Status> {

    /**
     * What is wanted.
     *
     * @param message What the ConfigMap says.
     */
    public record Spec(@Size(min = 1, max = 1000) String message) {}

    /**
     * What the controller found.
     *
     * @param observedGeneration The generation of the spec that the status is about.
     * @param conditions Ready says whether the ConfigMap is there, and if not, why.
     */
    public record Status(
            @Nullable Long observedGeneration, @Nullable List<V1Condition> conditions) {}
}

package io.controllermanager.crd;

import com.google.gson.annotations.SerializedName;
import io.controllermanager.types.Atomic;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.ListMapKeys;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.Scale;
import io.controllermanager.types.ValidationRule;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Has one of each. Those who read it by {@code kubectl explain} see &lt;this&gt;. */
@CustomResource(
        group = "example.com",
        version = "v1",
        plural = "everything",
        shortNames = {"ev", "evy"},
        categories = "all",
        annotations = "example.com/team=a=b")
@PrinterColumn(name = "Host", jsonPath = ".spec.host", description = "The host")
@PrinterColumn(name = "Since", jsonPath = ".spec.since", priority = 1)
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(name = "First", jsonPath = ".spec.ports[0].number")
@PrinterColumn(name = "Team", jsonPath = ".metadata.labels.team")
@PrinterColumn(name = "Resources", jsonPath = ".spec.resources", type = "string", format = "password")
@Scale(labelSelectorPath = ".status.selector")
@ObjectName(maxLength = 63, pattern = "[a-z]([-a-z0-9]*[a-z0-9])?")
final class Everything extends CustomObject<Everything.Spec, Everything.Status> {

    enum Mode {
        @SerializedName("read-only")
        READ_ONLY,
        RW
    }

    /**
     * A port.
     *
     * @param number from 1 to 2<sup>16</sup> - 1
     * @param protocol as in a {@link io.kubernetes.client.openapi.models.V1Service}
     */
    @ValidationRule(
            value = "self.number != 22 || self.protocol == 'TCP'",
            message = "is for SSH",
            fieldPath = ".protocol")
    record Port(
            @Min(1) @Max(65535) int number,
            @Default("TCP") @Pattern(regexp = "TCP|UDP") String protocol) {}

    record Range<T>(T from, @Nullable T to) {}

    /** Not a record. */
    static class Named {

        /** Whose it is. */
        @Nullable
        String owner;

        static final String CONSTANT = "";
        transient int cached;
    }

    static final class Contact extends Named {

        @Email
        String mail = "";
    }

    /**
     * What is wanted.
     *
     * @param host where it is served
     */
    @ValidationRule("self.maximum >= self.minimum")
    record Spec(
            @Size(max = 63)
            @Pattern(regexp = "[a-z0-9.-]+")
            @ValidationRule(
                    value = "self == oldSelf",
                    messageExpression = "'was ' + oldSelf",
                    reason = "FieldValueForbidden")
            @ValidationRule("self != 'localhost'")
            String host,

            @Nullable @NotNull String html,
            @Min(0) @Max(10) @Default("1") int replicas,
            @SerializedName("class") @Nullable @NotBlank String clazz,
            @Default("read-only") Mode mode,

            @Size(max = 5) @ListMapKeys({"number", "protocol"})
            List<Port> ports,

            @Size(min = 1, max = 3) @Nullable Map<String, @Size(max = 3) String> labels,
            @Nullable V1ResourceRequirements resources,
            @Nullable IntOrString surge,
            @Nullable OffsetDateTime since,
            @Nullable Map<String, Quantity> limits,
            @NotEmpty Set<Mode> modes,
            @Nullable List<@Nullable @Positive Long> numbers,

            @DecimalMin("0.5") @DecimalMax(value = "1e3", inclusive = false) @Nullable
            Double ratio,

            byte @Nullable [] data,
            @Nullable Object any,
            @Nullable Map<String, Object> more,
            @Atomic @Nullable Map<String, String> whole,
            @Nullable Range<@Max(9) Integer> range,
            @Nullable Contact contact,
            @Default("0") long minimum,
            @Default("{\"x\":[1,2.50,\"z\",true]}") Map<String, Object> y,
            @Default("9") long maximum) {}

    record Status(
            int replicas,
            @Nullable String selector,
            @Nullable Void nothing,
            @Nullable List<V1Condition> conditions) {}
}

package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.Verdict.Reason;
import io.controllermanager.webhook.Verdict.Refusal;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.openapi.models.V1StatusCause;
import io.kubernetes.client.openapi.models.V1StatusDetails;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks a validator, and says what it says in Kubernetes' own words ({@code field.Error} and {@code NewInvalid} of apimachinery).
 *
 * @param <T> the objects' class
 */
public record Validation<T extends KubernetesObject>(ResourceType<T> type, Validator<T> validator)
        implements AdmissionQuestion.Webhook<T> {

    private static final int FORBIDDEN = 403;
    private static final int UNPROCESSABLE = 422;

    @Override
    public JsonObject answer(T object, JsonObject sent, LiveAdmission<T> admission) {
        Verdict verdict = verdict(validator, object, admission);
        JsonObject response = new JsonObject();
        response.addProperty("allowed", verdict.isAllowed());
        if (!verdict.isAllowed()) {
            response.add("status", ApiJson.tree(status(object.getMetadata().getName(), verdict)));
        }
        if (!verdict.warnings().isEmpty()) {
            JsonArray warnings = new JsonArray();
            verdict.warnings().forEach(warnings::add);
            response.add("warnings", warnings);
        }
        return response;
    }

    /** What a validator says. */
    public static <T extends KubernetesObject> Verdict verdict(
            Validator<T> validator, T object, Admission<T> admission) {
        return switch (admission.operation()) {
            case CREATE -> validator.create(object, admission);
            case UPDATE -> validator.update(object, Objects.requireNonNull(admission.before(), "oldObject"), admission);
            case DELETE -> validator.delete(object, admission);
        };
    }

    private V1Status status(@Nullable String name, Verdict verdict) {
        boolean ofFields = verdict.refusals().stream().anyMatch(refusal -> refusal.field() != null);
        String messages = verdict.refusals().stream().map(Validation::message).collect(Collectors.joining(", "));
        if (!ofFields) {
            return new V1Status().code(FORBIDDEN).reason("Forbidden").message(messages);
        }
        String all = verdict.refusals().size() == 1 ? messages : "[" + messages + "]";
        return new V1Status()
                .code(UNPROCESSABLE)
                .reason("Invalid")
                .message("%s \"%s\" is invalid: %s".formatted(type.qualifiedKind(), name == null ? "" : name, all))
                .details(new V1StatusDetails()
                        .name(name)
                        .group(type.group())
                        .kind(type.kind())
                        .causes(verdict.refusals().stream()
                                .map(Validation::cause)
                                .toList()));
    }

    private static V1StatusCause cause(Refusal refusal) {
        return new V1StatusCause()
                .field(refusal.field())
                .reason("FieldValue" + reason(refusal).replace(" value", ""))
                .message(explanation(refusal));
    }

    private static String message(Refusal refusal) {
        return refusal.field() == null ? refusal.message() : refusal.field() + ": " + explanation(refusal);
    }

    private static String explanation(Refusal refusal) {
        if (refusal.field() == null) {
            return refusal.message();
        }
        boolean shown = refusal.reason() == Reason.INVALID || refusal.reason() == Reason.DUPLICATE;
        return reason(refusal)
                + (shown ? ": " + value(refusal.value()) : "")
                + (refusal.message().isEmpty() ? "" : ": " + refusal.message());
    }

    private static String reason(Refusal refusal) {
        return switch (refusal.reason()) {
            case INVALID -> "Invalid value";
            case REQUIRED -> "Required value";
            case FORBIDDEN -> "Forbidden";
            case DUPLICATE -> "Duplicate value";
        };
    }

    /** Text in quotes, all else as JSON. */
    private static String value(@Nullable Object value) {
        return value == null ? "null" : ApiJson.tree(value).toString();
    }
}

package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.webhook.Admission.Operation;
import io.controllermanager.webhook.internal.serving.BadRequestException;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1UserInfo;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code admission.k8s.io/v1} AdmissionReviews for one webhook. Safe for use by several threads.
 *
 * @param <T> the objects' class
 * @param path where it is asked
 * @param type the objects' type
 * @param caches what it reads
 * @param webhook decides
 */
public record AdmissionQuestion<T extends KubernetesObject>(
        String path, ResourceType<T> type, WebhookCaches caches, Webhook<T> webhook) {

    /**
     * What a validator or a defaulter makes of a request.
     *
     * @param <T> the objects' class
     */
    @FunctionalInterface
    interface Webhook<T extends KubernetesObject> {

        /**
         * The response, without its uid.
         *
         * @param object what is to be stored or deleted
         * @param sent the object as it was sent, where it is to be stored
         */
        JsonObject answer(T object, JsonObject sent, LiveAdmission<T> admission);
    }

    /**
     * The response to a review's request, without its uid.
     *
     * @throws IllegalStateException if a cache is not filled yet
     * @throws RuntimeException what the bean throws
     */
    JsonObject answer(JsonObject request) throws BadRequestException {
        String name = Reviews.text(request, "operation");
        Operation operation = Arrays.stream(Operation.values())
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadRequestException("operation " + name + " is none that is asked for here"));
        String field = operation == Operation.DELETE ? "oldObject" : "object";
        T object = read(request, field);
        if (object == null) {
            throw new BadRequestException("the field " + field + " is missing");
        }
        LiveAdmission<T> admission = new LiveAdmission<>(
                operation,
                request.has("namespace") ? Reviews.text(request, "namespace") : null,
                Objects.requireNonNullElseGet(
                        read(request, "userInfo", ApiJson.adapter(V1UserInfo.class)), V1UserInfo::new),
                request.get("dryRun") instanceof JsonPrimitive dry && dry.getAsBoolean(),
                read(request, "oldObject"),
                caches);
        caches.checkFilled();
        return webhook.answer(object, request.getAsJsonObject(field), admission);
    }

    private @Nullable T read(JsonObject request, String field) throws BadRequestException {
        return read(request, field, ApiJson.adapter(type.objectClass()));
    }

    private static <V> @Nullable V read(JsonObject request, String field, TypeAdapter<V> adapter)
            throws BadRequestException {
        if (!(request.get(field) instanceof JsonObject found)) {
            return null;
        }
        try {
            return ApiJson.read(found, adapter);
        } catch (JsonParseException e) {
            throw new BadRequestException(field + " cannot be read: " + Reviews.message(e));
        }
    }
}

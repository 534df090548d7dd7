package io.controllermanager.apiserver.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A request's refusal, with the {@code Status} that tells of it. Wording and codes are those of apimachinery's
 * api/errors, which clients read.
 */
public final class StatusException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** One thing that is wrong with an object. The reason is one such as {@code FieldValueRequired}. */
    public record Cause(String reason, String message, String field) {

        /** A value cannot be; a text is shown in quotes. */
        public static Cause invalid(String field, Object value, String why) {
            return new Cause("FieldValueInvalid", "Invalid value: " + shown(value) + ": " + why, field);
        }

        public static Cause required(String field, String why) {
            return new Cause("FieldValueRequired", "Required value" + (why.isEmpty() ? "" : ": " + why), field);
        }

        public static Cause forbidden(String field, String why) {
            return new Cause("FieldValueForbidden", "Forbidden: " + why, field);
        }

        public static Cause duplicate(String field, Object value) {
            return new Cause("FieldValueDuplicate", "Duplicate value: " + shown(value), field);
        }

        public static Cause tooLong(String field, int most) {
            return new Cause("FieldValueTooLong", "Too long: may not be more than " + most + " bytes", field);
        }

        public static Cause unsupported(String field, Object value, List<?> supported) {
            String all = supported.stream().map(Cause::shown).collect(Collectors.joining(", "));
            String message = "Unsupported value: " + shown(value) + ": supported values: " + all;
            return new Cause("FieldValueNotSupported", message, field);
        }

        /** A value as a message shows it: a text in quotes. */
        public static String shown(Object value) {
            return value instanceof String ? "\"" + value + "\"" : value.toString();
        }
    }

    private final transient ObjectNode status;
    private final int code;

    private StatusException(int code, String reason, String message) {
        super(message);
        this.code = code;
        this.status =
                Json.object().put("kind", "Status").put("apiVersion", "v1").set("metadata", Json.object());
        status.put("status", "Failure").put("message", message);
        Json.setText(status, "reason", reason);
        status.put("code", code);
    }

    public int code() {
        return code;
    }

    /** The whole object. */
    public ObjectNode status() {
        return status.deepCopy();
    }

    /** How long the client is to wait before it asks again. */
    public StatusException retryAfter(long seconds) {
        Json.child(status, "details").put("retryAfterSeconds", seconds);
        return this;
    }

    /** A token with which the list can go on, without being one snapshot any more. */
    public StatusException continueWith(String token) {
        Json.child(status, "metadata").put("continue", token);
        return this;
    }

    /** Tells what it is about: a resource or kind of a group, and one of its objects; whatever is not known is empty. */
    private StatusException about(String groupResource, String name) {
        String[] parts = groupResource.split("\\.", 2);
        ObjectNode details = Json.child(status, "details");
        Json.setText(details, "name", name);
        Json.setText(details, "group", parts.length > 1 ? parts[1] : "");
        Json.setText(details, "kind", parts[0]);
        return this;
    }

    private StatusException because(List<Cause> causes) {
        for (Cause cause : causes) {
            ObjectNode told = Json.child(status, "details").withArray("causes").addObject();
            told.put("reason", cause.reason()).put("message", cause.message()).put("field", cause.field());
        }
        return this;
    }

    public static StatusException of(int code, String reason, String message) {
        return new StatusException(code, reason, message);
    }

    /** The server itself could not do something. */
    public static StatusException internal(String why) {
        StatusException internal = new StatusException(500, "InternalError", "Internal error occurred: " + why);
        Json.child(internal.status, "details").withArray("causes").addObject().put("message", why);
        return internal;
    }

    /**
     * An admission webhook said no (apiserver, pkg/admission/plugin/webhook/errors/statuserror.go).
     *
     * @param result what it said, a {@code Status} that may be missing or lack everything
     */
    public static StatusException denied(String webhook, JsonNode result) {
        String reason = result.path("reason").asText("");
        String why = result.path("message").asText(reason);
        String message = "admission webhook \"" + webhook + "\" denied the request"
                + (why.isEmpty() ? " without explanation" : ": " + why);
        StatusException denied =
                new StatusException(Math.max(result.path("code").asInt(), 400), reason, message);
        Json.set(denied.status, "details", result.path("details"));
        return denied;
    }

    public static StatusException badRequest(String message) {
        return new StatusException(400, "BadRequest", message);
    }

    /** The credentials are no good. */
    public static StatusException unauthorized() {
        return new StatusException(401, "Unauthorized", "Unauthorized");
    }

    /** Something is not allowed. What is no resource, or no single object, has an empty name there. */
    public static StatusException forbidden(String groupResource, String name, String why) {
        String what = name.isEmpty() ? groupResource : qualified(groupResource, name);
        return new StatusException(403, "Forbidden", (what.isEmpty() ? "" : what + " is ") + "forbidden: " + why)
                .about(groupResource, name);
    }

    /** The namespace is on its way out. */
    public static StatusException terminating(String groupResource, String name, String namespace) {
        String why = "namespace " + namespace + " is being terminated";
        String effect = "unable to create new content in namespace " + namespace + " because it is being terminated";
        return forbidden(groupResource, name, effect)
                .because(List.of(new Cause("NamespaceTerminating", why, "metadata.namespace")));
    }

    /** There is no such path. */
    public static StatusException noSuchResource() {
        return new StatusException(404, "NotFound", "the server could not find the requested resource").about("", "");
    }

    /** The real server has this; this one has not. */
    public static StatusException notServed(int code, String what) {
        String message = "the embedded API server does not serve " + what;
        return new StatusException(code, code == 404 ? "NotFound" : "", message).about("", "");
    }

    /** The patch cannot be applied. */
    public static StatusException rejected() {
        return new StatusException(422, "Invalid", "the server rejected our request due to an error in our request")
                .about("", "");
    }

    public static StatusException notFound(String groupResource, String name) {
        return new StatusException(404, "NotFound", qualified(groupResource, name) + " not found")
                .about(groupResource, name);
    }

    public static StatusException methodNotAllowed() {
        String message = "the server does not allow this method on the requested resource";
        return new StatusException(405, "MethodNotAllowed", message).about("", "");
    }

    public static StatusException notAcceptable() {
        String message = "only the following media types are accepted: application/json, application/yaml";
        return new StatusException(406, "NotAcceptable", message);
    }

    public static StatusException tooLarge(String limit) {
        return new StatusException(413, "RequestEntityTooLarge", "Request entity too large: " + limit);
    }

    public static StatusException unsupportedMediaType(String supported) {
        String message =
                "the body of the request was in an unknown format - accepted media types include: " + supported;
        return new StatusException(415, "UnsupportedMediaType", message);
    }

    public static StatusException alreadyExists(String groupResource, String name) {
        return new StatusException(409, "AlreadyExists", qualified(groupResource, name) + " already exists")
                .about(groupResource, name);
    }

    public static StatusException conflict(String groupResource, String name, String why) {
        String message = "Operation cannot be fulfilled on " + qualified(groupResource, name) + ": " + why;
        return new StatusException(409, "Conflict", message).about(groupResource, name);
    }

    /** The write was made from a state that is no longer the newest. */
    public static StatusException stale(String groupResource, String name) {
        String why = "the object has been modified; please apply your changes to the latest version and try again";
        return conflict(groupResource, name, why);
    }

    /** Apply would take fields away from other managers. */
    public static StatusException applyConflict(List<Cause> causes) {
        String message = causes.size() == 1
                ? "Apply failed with 1 conflict: " + causes.get(0).message() + ": "
                        + causes.get(0).field()
                : "Apply failed with " + causes.size() + " conflicts: "
                        + causes.stream().collect(Collectors.groupingBy(Cause::message)).entrySet().stream()
                                .map(entry -> entry.getKey().replaceFirst("^conflict", "conflicts") + ":\n"
                                        + entry.getValue().stream()
                                                .map(cause -> "- " + cause.field())
                                                .collect(Collectors.joining("\n")))
                                .collect(Collectors.joining("\n"));
        return new StatusException(409, "Conflict", message).because(causes);
    }

    /** A PodDisruptionBudget lets no Pod go now. */
    public static StatusException disrupts(String why) {
        String message = "Cannot evict pod as it would violate the pod's disruption budget.";
        return new StatusException(429, "TooManyRequests", message)
                .because(List.of(new Cause("DisruptionBudget", why, "")));
    }

    /** History is compacted. */
    public static StatusException expired(String message) {
        return new StatusException(410, "Expired", message);
    }

    /** An object cannot be as it is, whose kind is named as {@code Kind.group}. */
    public static StatusException invalid(String groupKind, String name, List<Cause> causes) {
        String all = causes.stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .collect(Collectors.joining(", "));
        String what = causes.size() == 1 ? all : "[" + all + "]";
        return new StatusException(422, "Invalid", qualified(groupKind, name) + " is invalid: " + what)
                .about(groupKind, name)
                .because(causes);
    }

    /** The client names a version that is yet to come. */
    public static StatusException tooLargeVersion(long asked, long current) {
        return new StatusException(
                        504, "Timeout", "Timeout: Too large resource version: " + asked + ", current: " + current)
                .because(List.of(new Cause("ResourceVersionTooLarge", "Too large resource version", "")))
                .retryAfter(1);
    }

    private static String qualified(String groupResource, String name) {
        return groupResource + " \"" + name + "\"";
    }
}

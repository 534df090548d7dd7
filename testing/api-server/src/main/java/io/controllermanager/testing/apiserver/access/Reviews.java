package io.controllermanager.testing.apiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.rest.ResourceRequest;
import io.controllermanager.testing.apiserver.rest.Reviewer;
import io.controllermanager.testing.apiserver.storage.Key;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Says who somebody is and what he may do, and gives service accounts their tokens (kubernetes, pkg/registry/authentication,
 * authorization and core/serviceaccount/storage/token.go).
 */
public record Reviews(AccessControl access, Tokens tokens) implements Reviewer {

    private static final String GROUP = "authentication.k8s.io";

    @Override
    public ObjectNode answer(ResourceRequest request, ObjectNode asked) {
        JsonNode spec = asked.path("spec");
        ObjectNode status = asked.putObject("status");
        switch (request.type().kind()) {
            case "ServiceAccount" -> giveToken(request, asked, status);
            case "TokenReview" -> reviewToken(spec, status);
            case "SelfSubjectReview" -> {
                Meta.of(asked).put("creationTimestamp", now().toString());
                status.set("userInfo", info(access.user(request)));
            }
            case "SelfSubjectRulesReview" -> listRules(request, spec, status);
            case "SelfSubjectAccessReview" -> reviewAccess(access.user(request), spec, status);
            default -> {
                // Whoever is meant is in no group but those that are named.
                List<String> groups = PolicyRule.strings(spec.path("groups"));
                reviewAccess(new User(spec.path("user").asText(""), "", groups), spec, status);
            }
        }
        return asked;
    }

    private Instant now() {
        return tokens.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    }

    private void giveToken(ResourceRequest request, ObjectNode asked, ObjectNode status) {
        Key key = new Key("serviceaccounts", request.namespace(), request.name());
        ObjectNode metadata = Meta.of(asked);
        takeOver(metadata, "name", key.name(), key);
        takeOver(metadata, "namespace", key.namespace(), key);
        StoredObject account = tokens.store().get(key);
        if (account == null) {
            throw StatusException.notFound("", key.resource(), key.name());
        }
        String uid = Meta.uid(account.tree());
        String wanted = Meta.uid(asked);
        ObjectNode spec = Json.child(asked, "spec");
        if (!wanted.isEmpty() && !wanted.equals(uid)) {
            String why = "the UID in the token request (%s) does not match the UID of the service account (%s)";
            throw StatusException.conflict(GROUP, "TokenRequest", key.name(), why.formatted(wanted, uid));
        } else if (spec.path("boundObjectRef").isObject()) {
            throw StatusException.notServed(501, "tokens that are bound to an object");
        }
        if (spec.path("audiences").isEmpty()) {
            spec.putArray("audiences").add(Tokens.AUDIENCE);
        }
        long seconds = spec.path("expirationSeconds").asLong(3600);
        if (seconds < 600 || seconds > 1L << 32) {
            String bound = seconds < 600 ? "less than 10 minutes" : "larger than 2^32 seconds";
            throw invalid("", "spec.expirationSeconds", seconds + ": may not specify a duration " + bound);
        }
        spec.put("expirationSeconds", seconds);
        metadata.put("uid", uid).put("creationTimestamp", now().toString());
        Instant end = now().plusSeconds(seconds);
        status.put("token", tokens.issue(account, PolicyRule.strings(spec.path("audiences")), end));
        status.put("expirationTimestamp", end.toString());
    }

    private static void takeOver(ObjectNode metadata, String field, String value, Key key) {
        String said = metadata.path(field).asText("");
        if (!said.isEmpty() && !said.equals(value)) {
            String why = "\"%s\": must match the service account %s if specified".formatted(said, field);
            throw invalid(key.name(), "metadata." + field, why);
        }
        metadata.put(field, value);
    }

    private static StatusException invalid(String name, String field, String what) {
        Cause cause = new Cause("FieldValueInvalid", "Invalid value: " + what, field);
        return StatusException.invalid(GROUP, "TokenRequest", name, List.of(cause));
    }

    private void reviewToken(JsonNode spec, ObjectNode status) {
        String token = spec.path("token").asText("");
        if (token.isEmpty()) {
            throw StatusException.badRequest("token is required for TokenReview in authentication");
        }
        List<String> named = PolicyRule.strings(spec.path("audiences"));
        List<String> audiences = named.isEmpty() ? List.of(Tokens.AUDIENCE) : named;
        try {
            status.set("user", info(tokens.user(token, audiences)));
            status.put("authenticated", true);
            audiences.forEach(status.putArray("audiences")::add);
        } catch (IllegalArgumentException e) {
            status.put("error", "[" + e.getMessage() + "]").putObject("user");
        }
    }

    private static ObjectNode info(User user) {
        ObjectNode info = Json.object().put("username", user.name());
        if (!user.uid().isEmpty()) {
            info.put("uid", user.uid());
        }
        user.groups().forEach(info.putArray("groups")::add);
        return info;
    }

    private void listRules(ResourceRequest request, JsonNode spec, ObjectNode status) {
        String namespace = spec.path("namespace").asText("");
        if (namespace.isEmpty()) {
            throw StatusException.badRequest("no namespace on request");
        }
        status.put("incomplete", false).putArray("resourceRules");
        status.putArray("nonResourceRules");
        for (PolicyRule rule : access.rules(access.user(request), namespace)) {
            String list = rule.resources().isEmpty() ? "nonResourceRules" : "resourceRules";
            rule.write(status.withArray(list).addObject());
        }
    }

    private void reviewAccess(User user, JsonNode spec, ObjectNode status) {
        JsonNode resource = spec.path("resourceAttributes");
        JsonNode path = spec.path("nonResourceAttributes");
        if (resource.isObject() == path.isObject()) {
            throw StatusException.badRequest("one of resourceAttributes and nonResourceAttributes must be specified");
        }
        Attributes wanted = new Attributes(
                user,
                (resource.isObject() ? resource : path).path("verb").asText(""),
                resource.path("group").asText(""),
                resource.path("resource").asText(""),
                resource.path("subresource").asText(""),
                resource.path("namespace").asText(""),
                resource.path("name").asText(""),
                path.path("path").asText(""));
        status.put("allowed", access.allows(wanted));
    }
}

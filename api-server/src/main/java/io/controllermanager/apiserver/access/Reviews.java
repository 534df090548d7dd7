package io.controllermanager.apiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.rest.ResourceRequest;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Says who somebody is and what he may do, and gives service accounts their tokens (kubernetes, pkg/registry/authentication,
 * authorization and core/serviceaccount/storage/token.go).
 */
public record Reviews(AccessControl access, Tokens tokens) {

    private static final String TOKEN_REQUEST = "TokenRequest.authentication.k8s.io";

    /** Metadata that counts for nothing in a review of access. */
    private static final List<String> SYSTEM =
            List.of("namespace", "managedFields", "uid", "creationTimestamp", "deletionTimestamp", "selfLink");

    /** Answers what is sent to be answered, and not to be stored. The object that was sent becomes the answer. */
    public ObjectNode answer(ResourceRequest request, ObjectNode asked) {
        JsonNode spec = asked.path("spec");
        ObjectNode status = asked.putObject("status");
        switch (request.type().kind()) {
            case "ServiceAccount" -> giveToken(request, asked, status);
            case "TokenReview" -> reviewToken(spec, status);
            case "SelfSubjectReview" -> {
                Meta.of(asked).put("creationTimestamp", now().toString());
                status.set("userInfo", access.sender(request.http()));
            }
            case "SelfSubjectRulesReview" -> listRules(request, spec, status);
            default -> reviewAccess(request, asked, status);
        }
        return asked;
    }

    private Instant now() {
        return tokens.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    }

    private static StatusException invalid(String name, Cause cause) {
        return StatusException.invalid(TOKEN_REQUEST, name, List.of(cause));
    }

    private void giveToken(ResourceRequest request, ObjectNode asked, ObjectNode status) {
        Key key = new Key("serviceaccounts", request.namespace(), request.name());
        String name = Meta.name(asked);
        if (!name.isEmpty() && !name.equals(key.name())) {
            String why = "must match the service account name if specified";
            throw invalid(key.name(), Cause.invalid("metadata.name", name, why));
        }
        StoredObject account = tokens.store().existing(key, key.resource());
        String uid = Meta.uid(account.tree());
        String wanted = Meta.uid(asked);
        ObjectNode spec = Json.child(asked, "spec");
        if (!wanted.isEmpty() && !wanted.equals(uid)) {
            String why = "the UID in the token request (%s) does not match the UID of the service account (%s)";
            throw StatusException.conflict(TOKEN_REQUEST, key.name(), why.formatted(wanted, uid));
        } else if (spec.path("boundObjectRef").isObject()) {
            throw StatusException.notServed(501, "tokens that are bound to an object");
        }
        if (spec.path("audiences").isEmpty()) {
            spec.putArray("audiences").add(Tokens.AUDIENCE);
        }
        long seconds = spec.path("expirationSeconds").asLong(3600);
        if (seconds < 600 || seconds > 1L << 32) {
            String bound = seconds < 600 ? "less than 10 minutes" : "larger than 2^32 seconds";
            String why = "may not specify a duration " + bound;
            throw invalid("", Cause.invalid("spec.expirationSeconds", seconds, why));
        }
        spec.put("expirationSeconds", seconds);
        Instant now = now();
        Instant end = now.plusSeconds(seconds);
        Meta.of(asked).put("name", key.name()).put("uid", uid).put("creationTimestamp", now.toString());
        status.put("token", tokens.issue(account, Json.texts(spec.path("audiences")), now, end));
        status.put("expirationTimestamp", end.toString());
    }

    private void reviewToken(JsonNode spec, ObjectNode status) {
        String token = spec.path("token").asText("");
        if (token.isEmpty()) {
            throw StatusException.badRequest("token is required for TokenReview in authentication");
        }
        List<String> named = Json.texts(spec.path("audiences"));
        List<String> audiences = named.isEmpty() ? List.of(Tokens.AUDIENCE) : named;
        try {
            status.set("user", tokens.user(token, audiences).info());
            status.put("authenticated", true);
            audiences.forEach(status.putArray("audiences")::add);
        } catch (IllegalArgumentException e) {
            status.put("error", "[" + e.getMessage() + "]").putObject("user");
        }
    }

    private void listRules(ResourceRequest request, JsonNode spec, ObjectNode status) {
        String namespace = spec.path("namespace").asText("");
        if (namespace.isEmpty()) {
            throw StatusException.badRequest("no namespace on request");
        }
        status.put("incomplete", false).putArray("resourceRules");
        status.putArray("nonResourceRules");
        for (PolicyRule rule : access.rules(access.user(request.http()), namespace)) {
            String list = rule.resources().isEmpty() ? "nonResourceRules" : "resourceRules";
            rule.write(status.withArray(list).addObject());
        }
    }

    /** Of a SelfSubjectAccessReview, a SubjectAccessReview or a LocalSubjectAccessReview. */
    private void reviewAccess(ResourceRequest request, ObjectNode asked, ObjectNode status) {
        String kind = request.type().kind();
        JsonNode spec = asked.path("spec");
        JsonNode resource = spec.path("resourceAttributes");
        JsonNode path = spec.path("nonResourceAttributes");
        // Whoever is meant is in no group but those that are named.
        User user = kind.startsWith("Self")
                ? access.user(request.http())
                : new User(spec.path("user").asText(""), "", Json.texts(spec.path("groups")));
        Attributes wanted = new Attributes(
                user,
                (resource.isObject() ? resource : path).path("verb").asText(""),
                resource.path("group").asText(""),
                resource.path("resource").asText(""),
                resource.path("subresource").asText(""),
                resource.path("namespace").asText(""),
                resource.path("name").asText(""),
                path.path("path").asText(""));
        boolean local = kind.startsWith("Local");
        List<Cause> wrong = new ArrayList<>();
        if (resource.isObject() && path.isObject()) {
            String why = "cannot be specified in combination with resourceAttributes";
            wrong.add(Cause.invalid("spec.nonResourceAttributes", path, why));
        } else if (!resource.isObject() && !path.isObject()) {
            String why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            wrong.add(Cause.invalid("spec.resourceAttributes", NullNode.instance, why));
        }
        if (user.name().isEmpty() && user.groups().isEmpty()) {
            wrong.add(Cause.invalid("spec.user", "", "at least one of user or group must be specified"));
        }
        ObjectNode metadata = Meta.of(asked).deepCopy().without(SYSTEM);
        if (!metadata.isEmpty()) {
            String why = local ? "must be empty except for namespace" : "must be empty";
            wrong.add(Cause.invalid("metadata", metadata, why));
        }
        if (local && resource.isObject() && !wanted.namespace().equals(request.namespace())) {
            String why = "must match metadata.namespace";
            wrong.add(Cause.invalid("spec.resourceAttributes.namespace", wanted.namespace(), why));
        }
        if (local && path.isObject()) {
            wrong.add(Cause.invalid("spec.nonResourceAttributes", path, "disallowed on this kind of request"));
        }
        if (!wrong.isEmpty()) {
            throw StatusException.invalid(kind + ".authorization.k8s.io", "", wrong);
        }
        Rbac.Decision decision = access.decide(wanted);
        status.put("allowed", decision.allowed());
        Json.setText(status, "reason", decision.reason());
    }
}

package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.cel.MatchConditions;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.patch.JsonPatch;
import io.controllermanager.apiserver.resource.Registry;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.rest.Versions;
import io.controllermanager.apiserver.storage.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks the webhooks of admission about writes (apiserver, pkg/admission/plugin/webhook). No lock is held meanwhile. What a
 * webhook says of no consequence, such as annotations for an audit, is not read. Dry runs are told of as all else: a configuration
 * cannot have webhooks with side effects then.
 */
public record Webhooks(Store store, Registry registry, WebhookClient client) {

    private static final String GROUP = "admissionregistration.k8s.io";
    private static final String MUTATING = "mutatingwebhookconfigurations." + GROUP;
    private static final String VALIDATING = "validatingwebhookconfigurations." + GROUP;

    /** Whether any are configured; else nothing needs to be asked. */
    public boolean areThere() {
        return Stream.of(MUTATING, VALIDATING)
                .anyMatch(resource -> !store.list(resource).objects().isEmpty());
    }

    /** Changes and then judges a write; gives what is to be written, which is null for a deletion. */
    public @Nullable ObjectNode admit(Attributes write, List<String> warnings) {
        ObjectNode object = mutate(write, warnings);
        validate(write.with(object, write.oldObject()), warnings);
        return object;
    }

    /**
     * Has mutating webhooks change an object, those with {@code reinvocationPolicy: IfNeeded} once more where another one
     * changed it after them.
     *
     * @param warnings get what the client is to be told
     * @return another object; or the very same, if nothing was changed
     * @throws StatusException what the write is refused with
     */
    public @Nullable ObjectNode mutate(Attributes write, List<String> warnings) {
        List<Hook> hooks = hooks(write, MUTATING);
        Set<Hook> asked = new HashSet<>();
        Set<Hook> again = new HashSet<>();
        Attributes now = write;
        for (int round = 0; round < 2 && (round == 0 || !again.isEmpty()); round++) {
            for (Hook hook : hooks) {
                ResourceType as = round == 0 || again.contains(hook) ? wants(hook, now) : null;
                if (as == null) {
                    continue;
                }
                ObjectNode changed = changed(hook, now, as, warnings);
                if (changed != null) {
                    now = now.with(changed, now.oldObject());
                    again.addAll(asked);
                    asked.clear();
                }
                if (hook.spec().path("reinvocationPolicy").asText().equals("IfNeeded")) {
                    asked.add(hook);
                }
            }
        }
        return now.object();
    }

    /** What a webhook makes of an object; null for nothing else. */
    private @Nullable ObjectNode changed(Hook hook, Attributes write, ResourceType as, List<String> warnings) {
        Attributes seen = seen(write, as);
        ObjectNode object = seen.object();
        JsonNode patch;
        try {
            JsonNode response = ask(hook, seen, as, warnings);
            boolean isPatch = response.hasNonNull("patch");
            boolean isTyped = response.hasNonNull("patchType");
            if (isPatch != isTyped) {
                throw invalid("webhook returned response." + (isPatch ? "patch" : "patchType") + " but not response."
                        + (isPatch ? "patchType" : "patch"));
            } else if (!isPatch) {
                return null;
            } else if (!response.path("patchType").asText().equals("JSONPatch")) {
                String type = response.path("patchType").asText();
                throw new IOException("unsupported patch type \"" + type + '"');
            }
            patch = patch(response.path("patch"));
        } catch (IOException e) {
            failed(hook, e);
            return null;
        }
        if (patch.isEmpty()) {
            return null;
        } else if (object == null) {
            String why = " attempted to modify the object, which is not supported for this operation";
            throw StatusException.internal("admission webhook \"" + hook.name() + '"' + why);
        }
        JsonNode patched;
        try {
            patched = JsonPatch.apply(object.deepCopy(), patch);
        } catch (StatusException e) {
            throw StatusException.internal(String.valueOf(e.getMessage()));
        }
        if (!(patched instanceof ObjectNode result)) {
            throw StatusException.internal("Object 'Kind' is missing in '" + patched + "'");
        }
        return result.equals(object) ? null : converted(write, as, result, write.type());
    }

    private static JsonNode patch(JsonNode base64) throws IOException {
        try {
            return Json.read(base64.binaryValue());
        } catch (IOException e) {
            throw new IOException("received undecodable patch in webhook response: " + e.getMessage(), e);
        }
    }

    /**
     * Has validating webhooks judge a write. All are asked; the first refusal counts.
     *
     * @param warnings get what the client is to be told
     * @throws StatusException what the write is refused with
     */
    public void validate(Attributes write, List<String> warnings) {
        List<StatusException> refusals = new ArrayList<>();
        for (Hook hook : hooks(write, VALIDATING)) {
            ResourceType as = wants(hook, write);
            try {
                if (as != null) {
                    judge(hook, seen(write, as), as, warnings);
                }
            } catch (StatusException e) {
                refusals.add(e);
            }
        }
        if (!refusals.isEmpty()) {
            throw refusals.get(0);
        }
    }

    private void judge(Hook hook, Attributes write, ResourceType as, List<String> warnings) {
        try {
            JsonNode response = ask(hook, write, as, warnings);
            for (String field : List.of("patch", "patchType")) {
                if (response.hasNonNull(field)) {
                    throw invalid("validating webhook may not return response." + field);
                }
            }
        } catch (IOException e) {
            failed(hook, e);
        }
    }

    /** The webhooks of all configurations, in the order of these; none for those of admission itself. */
    private List<Hook> hooks(Attributes write, String resource) {
        if (write.type().group().equals(GROUP)) {
            return List.of();
        }
        return store.objects(resource, "").stream()
                .flatMap(configuration -> Json.list(configuration.tree().path("webhooks")).stream())
                .map(Hook::new)
                .toList();
    }

    private @Nullable ResourceType wants(Hook hook, Attributes write) {
        List<ResourceType> versions = registry.types().stream()
                .filter(type -> type.storage().equals(write.type().storage()))
                .toList();
        ResourceType as = hook.wants(write, versions, store);
        JsonNode conditions = hook.spec().path("matchConditions");
        if (as == null || conditions.isEmpty()) {
            return as;
        }
        try {
            return MatchConditions.hold(conditions, seen(write, as).request(as)) ? as : null;
        } catch (IllegalArgumentException e) {
            if (hook.failsOpen()) {
                return null;
            }
            throw StatusException.forbidden(write.type().groupResource(), write.name(), String.valueOf(e.getMessage()));
        }
    }

    /** A write in the version in which it is asked about. */
    private static Attributes seen(Attributes write, ResourceType as) {
        ObjectNode object = write.object();
        ObjectNode old = write.oldObject();
        return write.with(
                object == null ? null : converted(write, write.type(), object, as),
                old == null ? null : converted(write, write.type(), old, as));
    }

    private static ObjectNode converted(Attributes write, ResourceType from, ObjectNode object, ResourceType to) {
        boolean same = from.apiVersion().equals(to.apiVersion()) || !write.isWhole();
        return same ? object : Versions.converted(object.deepCopy(), from, to);
    }

    /**
     * Asks a webhook.
     *
     * @throws IOException if it cannot be asked, or gives no answer
     * @throws StatusException if it says no
     */
    private JsonNode ask(Hook hook, Attributes write, ResourceType as, List<String> warnings) throws IOException {
        JsonNode spec = hook.spec();
        Review review = Review.of("admission.k8s.io", "AdmissionReview", spec.path("admissionReviewVersions"));
        JsonNode answer;
        try {
            int timeout = spec.path("timeoutSeconds").asInt(10);
            answer = client.post(spec.path("clientConfig"), timeout, review.of(write.request(as)));
        } catch (IOException e) {
            throw new IOException("failed to call webhook: " + e.getMessage(), e);
        }
        JsonNode response;
        try {
            response = review.response(answer, "webhook response was absent");
        } catch (IOException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
        Json.texts(response.path("warnings")).stream()
                .filter(text -> !warnings.contains(text))
                .forEach(warnings::add);
        if (!response.path("allowed").asBoolean()) {
            throw StatusException.denied(hook.name(), response.path("status"));
        }
        return response;
    }

    private static IOException invalid(String why) {
        return new IOException("received invalid webhook response: " + why);
    }

    /** A webhook gave no answer that counts: the write goes on without, or is refused. */
    private static void failed(Hook hook, IOException e) {
        if (!hook.failsOpen()) {
            throw StatusException.internal("failed calling webhook \"" + hook.name() + "\": " + e.getMessage());
        }
    }
}

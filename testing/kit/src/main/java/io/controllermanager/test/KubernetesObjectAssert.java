package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** What is to hold of an object, as its JSON has it. */
public final class KubernetesObjectAssert extends AbstractAssert<KubernetesObjectAssert, KubernetesObject> {

    KubernetesObjectAssert(@Nullable KubernetesObject actual) {
        super(actual, KubernetesObjectAssert.class);
    }

    private JsonNode json() {
        isNotNull();
        return Json.readOwn(ApiJson.write(actual));
    }

    private static List<JsonNode> elements(JsonNode list) {
        List<JsonNode> elements = new ArrayList<>();
        list.forEach(elements::add);
        return elements;
    }

    private String name() {
        return EndState.label(json());
    }

    /**
     * In {@code status.conditions}.
     *
     * @param status True, False or Unknown
     */
    public ConditionAssert hasCondition(String type, String status) {
        JsonNode object = json();
        List<JsonNode> conditions = elements(object.path("status").path("conditions"));
        JsonNode condition = conditions.stream()
                .filter(each -> each.path("type").asText().equals(type))
                .findFirst()
                .orElse(null);
        if (condition == null) {
            throw failure(
                    "%s has no condition %s, but %s",
                    name(),
                    type,
                    conditions.stream().map(each -> each.path("type").asText()).toList());
        }
        ConditionAssert found = new ConditionAssert(
                this, name(), condition, object.at("/metadata/generation").asLong());
        found.is("status", status);
        return found;
    }

    /** In {@code metadata.finalizers}. */
    public KubernetesObjectAssert hasFinalizer(String finalizer) {
        List<String> finalizers = finalizers();
        if (!finalizers.contains(finalizer)) {
            throw failure("%s has no finalizer %s, but %s", name(), finalizer, finalizers);
        }
        return this;
    }

    /** In {@code metadata.finalizers}. */
    public KubernetesObjectAssert hasNoFinalizer(String finalizer) {
        if (finalizers().contains(finalizer)) {
            throw failure("%s still has the finalizer %s", name(), finalizer);
        }
        return this;
    }

    private List<String> finalizers() {
        return elements(json().at("/metadata/finalizers")).stream()
                .map(JsonNode::asText)
                .toList();
    }

    /** Its controlling owner is this very object, by uid. It is garbage collected with it, and {@code owns} finds it. */
    public KubernetesObjectAssert isControlledBy(KubernetesObject owner) {
        return isOwnedBy(owner, true);
    }

    /** One of its owners is this very object, by uid. It is garbage collected with it. */
    public KubernetesObjectAssert isOwnedBy(KubernetesObject owner) {
        return isOwnedBy(owner, false);
    }

    private KubernetesObjectAssert isOwnedBy(KubernetesObject owner, boolean controller) {
        String uid =
                Objects.requireNonNull(owner.getMetadata().getUid(), "the owner has no uid: read it from the server");
        List<JsonNode> owners = elements(json().at("/metadata/ownerReferences"));
        boolean owned = owners.stream()
                .anyMatch(reference -> reference.path("uid").asText().equals(uid)
                        && (!controller || reference.path("controller").asBoolean()));
        if (!owned) {
            throw failure(
                    "%s is not %s by %s, but its owner references are %s",
                    name(),
                    controller ? "controlled" : "owned",
                    EndState.label(Json.readOwn(ApiJson.write(owner))),
                    owners);
        }
        return this;
    }

    /** It has a deletion timestamp. */
    public KubernetesObjectAssert isBeingDeleted() {
        if (!json().at("/metadata/deletionTimestamp").isTextual()) {
            throw failure("%s is not being deleted", name());
        }
        return this;
    }
}

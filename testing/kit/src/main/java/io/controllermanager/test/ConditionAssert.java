package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import org.assertj.core.api.AbstractAssert;

/** What is to hold of one condition, after KEP-1623. */
public final class ConditionAssert extends AbstractAssert<ConditionAssert, JsonNode> {

    private final KubernetesObjectAssert object;
    private final String name;
    private final long generation;

    ConditionAssert(KubernetesObjectAssert object, String name, JsonNode condition, long generation) {
        super(condition, ConditionAssert.class);
        this.object = object;
        this.name = name;
        this.generation = generation;
    }

    /** Its reason is this word. */
    public ConditionAssert withReason(String reason) {
        is("reason", reason);
        return this;
    }

    /** Its message is this sentence. */
    public ConditionAssert withMessage(String message) {
        is("message", message);
        return this;
    }

    /** Its {@code observedGeneration} is the object's generation: it speaks of the spec as it is now. */
    public ConditionAssert ofTheCurrentGeneration() {
        is("observedGeneration", Long.toString(generation));
        return this;
    }

    /** Goes on with the object. */
    public KubernetesObjectAssert and() {
        return object;
    }

    void is(String field, String expected) {
        String found = actual.path(field).asText("nothing");
        if (!found.equals(expected)) {
            throw failure(
                    "%s: the %s of condition %s is %s, not %s: %s",
                    name, field, actual.path("type").asText(), found, expected, actual);
        }
    }
}

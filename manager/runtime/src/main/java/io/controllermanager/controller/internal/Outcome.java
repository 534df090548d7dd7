package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What came of a reconcile, in the words of controller-runtime's metrics. */
enum Outcome {
    SUCCESS("success"),
    ERROR("error"),
    REQUEUE("requeue"),
    REQUEUE_AFTER("requeue_after");

    private final String label;

    Outcome(String label) {
        this.label = label;
    }

    /** The value of the label {@code result}. */
    String label() {
        return label;
    }

    /** What a reconciler's result asks for. As in client-java, a time without {@code requeue} means nothing. */
    static Outcome of(@Nullable Result result) {
        if (result == null || !result.isRequeue()) {
            return SUCCESS;
        }
        Duration after = result.getRequeueAfter();
        return after == null || after.isZero() || after.isNegative() ? REQUEUE : REQUEUE_AFTER;
    }
}

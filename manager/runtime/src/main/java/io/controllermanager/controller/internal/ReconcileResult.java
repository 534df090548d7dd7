package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What came of a reconcile, in the words of controller-runtime's metrics. */
enum ReconcileResult {
    SUCCESS,
    ERROR,
    REQUEUE,
    REQUEUE_AFTER;

    /** The value of the label {@code result}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What a reconciler's result asks for. As in client-java, a time without {@code requeue} means nothing. */
    static ReconcileResult of(@Nullable Result result) {
        if (result == null || !result.isRequeue()) {
            return SUCCESS;
        }
        Duration after = result.getRequeueAfter();
        return after == null || after.isZero() || after.isNegative() ? REQUEUE : REQUEUE_AFTER;
    }
}

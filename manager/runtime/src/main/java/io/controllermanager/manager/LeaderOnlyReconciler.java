package io.controllermanager.manager;

import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Begins no reconcile that leadership does not cover at that moment. The workers are stopped on loss anyway; this is for
 * the moment in between, as when a suspended process wakes up with a key in a worker's hands. Such a key comes again.
 */
record LeaderOnlyReconciler(Reconciler reconciler, BooleanSupplier leading) implements Reconciler {

    private static final Duration SOON = Duration.ofSeconds(1);

    @Override
    public Result reconcile(Request request) {
        if (!leading.getAsBoolean()) {
            return new Result(true, SOON);
        }
        return reconciler.reconcile(request);
    }
}

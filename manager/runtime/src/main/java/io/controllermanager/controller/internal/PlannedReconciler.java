package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.request.FailureMessage;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import org.jspecify.annotations.Nullable;

/**
 * Reconciles in a dry run: not before all can be read, and each key so often at most as {@link Plan} says.
 *
 * @param controller its name
 */
public record PlannedReconciler(String controller, Reconciler reconciler, Plan plan) implements Reconciler {

    @Override
    public @Nullable Result reconcile(Request request) {
        try {
            if (!plan.enter(controller, request)) {
                return new Result(false);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before the plan has begun", e);
        }
        String failure = null;
        boolean terminal = false;
        try {
            Result result = reconciler.reconcile(request);
            failure =
                    ReconcileResult.of(result) == ReconcileResult.REQUEUE ? "asks to be tried again, each time" : null;
            return result;
        } catch (Throwable e) {
            failure = FailureMessage.words(e);
            terminal = FailureCause.of(e).terminal();
            throw e;
        } finally {
            plan.leave(failure, terminal);
        }
    }
}

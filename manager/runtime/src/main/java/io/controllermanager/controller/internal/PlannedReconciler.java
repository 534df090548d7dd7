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
        Throwable failure = null;
        try {
            return reconciler.reconcile(request);
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            plan.leave(
                    failure == null ? null : FailureMessage.words(failure),
                    failure != null && FailureCause.of(failure).terminal());
        }
    }
}

package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Result;

/** A result that says at which priority its key comes again. */
public final class PriorityResult extends Result {

    private final int priority;

    /** The same as another result, at a priority. */
    public PriorityResult(Result other, int priority) {
        super(other.isRequeue(), other.getRequeueAfter());
        this.priority = priority;
    }

    /** A higher one comes first; a live change has 0. */
    public int priority() {
        return priority;
    }
}

package io.controllermanager.reconciler;

import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When a reconcile is to come again, events apart. */
public final class Outcome {

    private static final Outcome DONE = new Outcome(false, null);
    private static final Outcome RETRY = new Outcome(true, null);

    private final boolean requeue;
    private final @Nullable Duration after;

    private Outcome(boolean requeue, @Nullable Duration after) {
        this.requeue = requeue;
        this.after = after;
    }

    /** Once something has changed. */
    public static Outcome done() {
        return DONE;
    }

    /** After the key's backoff, which grows each time. For what is no failure but has not come to its end. */
    public static Outcome retry() {
        return RETRY;
    }

    /**
     * After this time, at the latest.
     *
     * @throws IllegalArgumentException unless it is positive
     */
    public Outcome again(Duration newAfter) {
        if (newAfter.isZero() || newAfter.isNegative()) {
            throw new IllegalArgumentException("after must be positive, but is " + newAfter);
        }
        return new Outcome(true, newAfter);
    }

    Result toResult() {
        return after == null ? new Result(requeue) : new Result(requeue, after);
    }

    @Override
    public String toString() {
        return after != null ? "again after " + after : requeue ? "retry" : "done";
    }
}

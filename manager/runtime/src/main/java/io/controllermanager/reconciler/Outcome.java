package io.controllermanager.reconciler;

import io.controllermanager.controller.internal.PriorityResult;
import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a reconcile ended: when it is to come again, events apart, and what the condition {@code Ready} says. {@link #ready},
 * {@link #progressing} and {@link #blocked} set that condition, and an Event tells of it each time its reason becomes another
 * one. The words are those of kstatus. {@link #done} and {@link #retry} leave conditions to the reconciler, but for the {@code
 * Ready} of a failure before: that is taken away. Of objects whose status has no conditions, or that have none, the Event alone
 * tells.
 */
public final class Outcome {

    private static final Outcome DONE = new Outcome(false, null, null, false, null);
    private static final Outcome RETRY = new Outcome(true, null, null, false, null);

    private final boolean requeue;
    private final @Nullable Duration after;
    private final @Nullable StatusCondition condition;
    private final boolean warning;
    private final @Nullable Integer priority;

    private Outcome(
            boolean requeue,
            @Nullable Duration after,
            @Nullable StatusCondition condition,
            boolean warning,
            @Nullable Integer priority) {
        this.requeue = requeue;
        this.after = after;
        this.condition = condition;
        this.warning = warning;
        this.priority = priority;
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
     * All is as the object asks for: {@code Ready} is True, and a Normal Event tells of it. It comes again once something has
     * changed, as with {@link #done}.
     *
     * @param reason one UpperCamelCase word, for machines
     * @param message a sentence for people, with nothing in it that changes each time
     */
    public static Outcome ready(String reason, String message) {
        return reported(true, reason, message, false);
    }

    /** What is needed is on its way, such as pods that start: {@code Ready} is False, otherwise as {@link #ready}. */
    public static Outcome progressing(String reason, String message) {
        return reported(false, reason, message, false);
    }

    /**
     * It cannot go on before something else changes that the description names, such as a reference to what is not there:
     * {@code Ready} is False, and a Warning Event tells of it; otherwise as {@link #ready}. That is no failure: it is not tried
     * again, and not counted as an error.
     */
    public static Outcome blocked(String reason, String message) {
        return reported(false, reason, message, true);
    }

    /** What a thing that is kept comes to: {@link #ready}, {@link #progressing} or {@link #blocked}. */
    public static Outcome of(Readiness readiness) {
        return switch (readiness.state()) {
            case READY -> ready(readiness.reason(), readiness.message());
            case PROGRESSING -> progressing(readiness.reason(), readiness.message());
            case FAILED -> blocked(readiness.reason(), readiness.message());
        };
    }

    private static Outcome reported(boolean ready, String reason, String message, boolean warning) {
        StatusCondition condition = new StatusCondition(ErrorCondition.TYPE, ready ? "True" : "False", reason, message);
        return new Outcome(false, null, condition, warning, null);
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
        return new Outcome(true, newAfter, condition, warning, priority);
    }

    /**
     * At this priority, if it comes again by itself: after a {@link #retry} or {@link #again}. Unless said, at the priority that
     * this reconcile had. An event that comes meanwhile brings it at its own.
     *
     * @param newPriority a higher one comes first: 100 is an operator's wish, 0 a live change, -100 what is looked at once more
     */
    public Outcome priority(int newPriority) {
        return new Outcome(requeue, after, condition, warning, newPriority);
    }

    /** The same, after this time at the latest; a {@link #retry} has its own time. */
    Outcome againAtLatest(Duration latest) {
        boolean sooner = (requeue && after == null) || (after != null && after.compareTo(latest) <= 0);
        return sooner ? this : new Outcome(true, latest, condition, warning, priority);
    }

    /** The same with another condition, of which a Warning tells. */
    Outcome insteadOf(StatusCondition newCondition) {
        return new Outcome(requeue, after, newCondition, true, priority);
    }

    /** Whether there is nothing left to do: a clean-up that ends so is over. */
    boolean isFinished() {
        return !requeue && (condition == null || condition.status().equals("True"));
    }

    /** Whether it says that the object is as it is to be, or leaves that to the conditions. */
    boolean mayBeReady() {
        return condition == null
                ? !requeue || after != null
                : condition.status().equals("True");
    }

    Result toResult() {
        Result result = after == null ? new Result(requeue) : new Result(requeue, after);
        return priority == null ? result : new PriorityResult(result, priority);
    }

    /** What the condition {@code Ready} is to say; null to leave it to the reconciler. */
    @Nullable
    StatusCondition condition() {
        return condition;
    }

    /** Whether the Event that tells of it is a Warning. */
    boolean warning() {
        return warning;
    }

    @Override
    public String toString() {
        String when = after != null ? "again after " + after : requeue ? "retry" : "done";
        return condition == null ? when : condition.reason() + ": " + condition.message() + ", " + when;
    }
}

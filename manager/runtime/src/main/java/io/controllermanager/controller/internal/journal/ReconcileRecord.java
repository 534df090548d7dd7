package io.controllermanager.controller.internal.journal;

import io.controllermanager.client.internal.connection.RequestTrail.Effect;
import io.controllermanager.client.internal.connection.RequestTrail.Write;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one reconcile did, and why it ran. It names fields, and never has their values.
 *
 * @param at when it began
 * @param took how long it ran
 * @param id its {@code reconcileID} in the log
 * @param traceId of the trace that it belongs to; empty without tracing
 * @param priority at which its key was taken
 * @param waited how long the key had been ready
 * @param delay what had the key wait before that, null for nothing
 * @param delayed for how long
 * @param causes why the key was queued, in the order in which it happened
 * @param moreCauses how many there were besides
 * @param outcome success, error, requeue or requeue_after
 * @param cause of a failure: a class of exception and where it was thrown, or the answer's code; empty without one
 * @param terminal whether the failure is not retried before the object changes
 * @param again after how long the key comes again, null if it does not by itself
 * @param writes what was written, in order
 * @param moreWrites how many writes there were besides
 * @param failures requests that failed
 * @param moreFailures how many failed besides
 */
public record ReconcileRecord(
        Instant at,
        Duration took,
        String id,
        String traceId,
        int priority,
        Duration waited,
        Causes.@Nullable Delay delay,
        Duration delayed,
        List<Reason> causes,
        int moreCauses,
        String outcome,
        String cause,
        boolean terminal,
        @Nullable Duration again,
        List<Write> writes,
        int moreWrites,
        List<String> failures,
        int moreFailures) {

    /**
     * One cause.
     *
     * @param kind what happened
     * @param source the type of the object that it happened to
     * @param key that object's {@code namespace/name}
     * @param via how the object leads to the key
     * @param times how often
     * @param paths of the fields that changed
     */
    public record Reason(Cause.Kind kind, String source, String key, String via, int times, List<String> paths) {

        /** A cause, its states compared. */
        public static Reason of(Cause cause) {
            return new Reason(
                    cause.kind(),
                    cause.source(),
                    cause.key(),
                    cause.via(),
                    cause.times(),
                    cause.change() == null ? List.of() : cause.change().paths());
        }

        /** In a line, such as {@code updated foos.samplecontroller.k8s.io default/a (spec.replicas)}. */
        @Override
        public String toString() {
            return kind.name().toLowerCase(Locale.ROOT)
                    + (source.isEmpty() ? "" : " " + source)
                    + (key.isEmpty() ? "" : " " + key)
                    + (via.isEmpty() ? "" : " by " + via)
                    + (times == 1 ? "" : " " + times + " times")
                    + (paths.isEmpty() ? "" : " (" + String.join(", ", paths) + ")");
        }
    }

    /** All of it in a line, for logs. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(outcome);
        if (!cause.isEmpty()) {
            line.append(" (").append(cause).append(')');
        }
        line.append(", because of ");
        append(line, causes, moreCauses);
        line.append("; writes: ");
        append(line, writes.stream().map(ReconcileRecord::text).toList(), moreWrites);
        if (!failures.isEmpty()) {
            line.append("; failed: ");
            append(line, failures, moreFailures);
        }
        line.append("; waited ").append(waited.toMillis()).append(" ms");
        if (delay != null) {
            line.append(" after ")
                    .append(delayed.toMillis())
                    .append(" ms of ")
                    .append(delay.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
        return line.append(traceId.isEmpty() ? "" : "; trace " + traceId).toString();
    }

    private static String text(Write write) {
        String paths = write.paths().isEmpty() ? "" : " (" + String.join(", ", write.paths()) + ")";
        return write.verb() + " " + write.type() + " " + write.key()
                + (write.effect() == Effect.NONE ? ", nothing to do" : paths);
    }

    private static void append(StringBuilder line, List<?> entries, int more) {
        for (int i = 0; i < entries.size(); i++) {
            line.append(i == 0 ? "" : ", ").append(entries.get(i));
        }
        line.append(entries.isEmpty() ? "nothing" : more == 0 ? "" : " and " + more + " more");
    }
}

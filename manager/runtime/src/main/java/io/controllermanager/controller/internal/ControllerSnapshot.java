package io.controllermanager.controller.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a controller's work stands at one moment.
 *
 * @param running whether its workers take keys
 * @param workers how many keys it reconciles at once
 * @param liveWorkers how many workers have a thread that lives; stuck ones, which have been replaced, do not count
 * @param activeWorkers how many workers have a key, stuck ones included
 * @param reconciling how many of them are in a reconcile that is neither stuck nor told to end
 * @param stuck reconciles that did not end when they were interrupted, or whose worker did not come back from them in time,
 *     the oldest first
 * @param queueDepth keys ready to be reconciled
 * @param delayed keys that wait for their time
 * @param pausedObjects keys that are not reconciled, since their object has an annotation that pauses it
 * @param failing keys whose last reconcile failed and is to be retried
 * @param reconciles how many reconciles have ended since the controller was made
 * @param errors how many of them failed
 * @param lastFailure the newest failure, null if there was none
 * @param depthByPriority keys ready to be reconciled by priority, the highest first
 * @param longestWait how long the key has been ready that is next at its priority, at the priority where that is longest;
 *     null where that is not known
 * @param untaken for how long keys have been ready of which no worker took one; null where that is not known
 * @param times how long the reconciles of the last minutes took, null if none has ended lately
 */
public record ControllerSnapshot(
        boolean running,
        int workers,
        int liveWorkers,
        int activeWorkers,
        int reconciling,
        List<StuckReconcile> stuck,
        int queueDepth,
        int delayed,
        int pausedObjects,
        int failing,
        long reconciles,
        long errors,
        @Nullable Failure lastFailure,
        Map<Integer, Integer> depthByPriority,
        @Nullable Duration longestWait,
        @Nullable Duration untaken,
        @Nullable ReconcileTimes times) {

    /** Each stuck reconcile holds a thread: more are not a matter of single keys any more. */
    private static final int MANY_STUCK = 10;

    /** Taking a key takes microseconds: no pause of a process that answers its probe is as long as this. */
    private static final Duration LONGEST_UNTAKEN = Duration.ofMinutes(1);

    /**
     * Why only a new process would bring this controller's work forward: workers are to take keys, but
     *
     * <ul>
     *   <li>none of them has a living thread;
     *   <li>so many reconciles are stuck (ten, and as many as there are to be workers) that something is wrong with more than
     *       a few keys;
     *   <li>keys have been ready for a minute and no worker took one, though not all are in a reconcile: those that are not
     *       hang in what comes before or after one.
     * </ul>
     *
     * <p>A stuck reconcile by itself is no reason: another worker has taken its worker's place, a restart would interrupt
     * everybody else, and the key would probably be stuck again. Nor is it one that all workers are in reconciles that are
     * merely slow: those end, or their time limit ends them.
     *
     * @return one sentence, null if there is no such reason
     */
    public @Nullable String restartReason() {
        if (!running) {
            return null;
        }
        if (liveWorkers == 0) {
            return "none of its workers has a living thread";
        }
        if (stuck.size() >= Math.max(MANY_STUCK, workers)) {
            return stuck.size() + " reconciles are stuck, " + oldestStuck();
        }
        if (queueDepth > 0 && reconciling < workers && untaken != null && untaken.compareTo(LONGEST_UNTAKEN) > 0) {
            return "none of %d ready keys has been taken for %d s, and %d of %d workers are in no reconcile"
                    .formatted(queueDepth, untaken.toSeconds(), workers - reconciling, workers);
        }
        return null;
    }

    /** What an operator should look into although a restart is not called for, in one sentence; null if nothing. */
    public @Nullable String warning() {
        return switch (stuck.size()) {
            case 0 -> null;
            case 1 -> "a reconcile does not end, " + oldestStuck();
            default -> stuck.size() + " reconciles do not end, " + oldestStuck();
        };
    }

    private String oldestStuck() {
        StuckReconcile oldest = stuck.get(0);
        return "the oldest with " + oldest.key() + " since " + oldest.since() + " on thread " + oldest.thread();
    }

    /**
     * A reconcile that failed.
     *
     * @param key the object's {@code namespace/name}, or just the name of one that lives in no namespace
     * @param message what went wrong, in one line
     * @param at when
     */
    public record Failure(String key, String message, Instant at) {}

    /**
     * How long reconciles took that ended in the last four to five minutes. What is said of quantiles is at most a tenth
     * more than the truth, and never less.
     *
     * @param count how many ended
     * @param p50 half of them took no longer than this
     * @param p99 99 of 100 took no longer than this
     * @param max the longest
     */
    public record ReconcileTimes(long count, Duration p50, Duration p99, Duration max) {}

    /**
     * A reconcile that goes on although its thread was interrupted. Its key is not reconciled again before it ends; a
     * replacement has taken its worker's place.
     *
     * @param key the object's {@code namespace/name}, or just the name of one that lives in no namespace
     * @param thread the name of the thread
     * @param since when the reconcile began
     */
    public record StuckReconcile(String key, String thread, Instant since) {}
}

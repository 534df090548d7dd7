package io.controllermanager.testing.failover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What came of one rolling update.
 *
 * @param <T> what the new replicas are told apart by
 * @param to what the new replicas are
 * @param killed whether old replicas were killed rather than stopped
 * @param took from the first new replica to the last old one's end
 * @param changes how often another replica than the last one began to work
 * @param longestPause the longest time in which none was at work
 * @param work how many writes and reconciles were judged
 * @param violations what should not have been
 */
public record Move<T>(
        T to, boolean killed, Duration took, int changes, Duration longestPause, int work, List<String> violations) {

    /** The turns that replicas took in an update, judged; what was wrong with the update itself, and more, is a violation too. */
    static <T> Move<T> of(T to, boolean killed, RollingUpdates.Update update, Turns turns, List<String> more) {
        List<String> violations = new ArrayList<>(update.violations());
        violations.addAll(turns.together());
        violations.addAll(more);
        return new Move<>(
                to,
                killed,
                update.took(),
                turns.changes(),
                turns.longestPause(),
                update.done().size(),
                List.copyOf(violations));
    }
}

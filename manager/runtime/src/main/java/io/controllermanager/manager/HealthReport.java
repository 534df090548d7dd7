package io.controllermanager.manager;

import java.util.List;

/**
 * Whether all is well, and if not, what is wrong.
 *
 * @param healthy whether all is well
 * @param reasons what is wrong, one sentence each; empty if all is well
 */
public record HealthReport(boolean healthy, List<String> reasons) {

    public HealthReport {
        reasons = List.copyOf(reasons);
    }

    /** Healthy if there is no reason to think otherwise. */
    public static HealthReport of(List<String> reasons) {
        return new HealthReport(reasons.isEmpty(), reasons);
    }
}

package io.controllermanager.manager.internal;

import java.util.List;

/**
 * Whether all is well, and if not, what is wrong.
 *
 * @param healthy whether all is well
 * @param reasons what is wrong, one sentence each; empty if all is well
 * @param warnings what a person should look into although nothing is to be done about it by machine, one sentence each
 */
public record HealthReport(boolean healthy, List<String> reasons, List<String> warnings) {

    public HealthReport {
        reasons = List.copyOf(reasons);
        warnings = List.copyOf(warnings);
    }

    /** Healthy if there is no reason to think otherwise. */
    public static HealthReport of(List<String> reasons) {
        return of(reasons, List.of());
    }

    /** As {@link #of(List)}, with warnings. */
    public static HealthReport of(List<String> reasons, List<String> warnings) {
        return new HealthReport(reasons.isEmpty(), reasons, warnings);
    }
}

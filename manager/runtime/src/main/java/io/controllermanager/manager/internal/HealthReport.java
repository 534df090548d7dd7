package io.controllermanager.manager.internal;

import java.util.List;

/**
 * Whether all is well, and if not, what is wrong.
 *
 * @param reasons what is wrong, one sentence each; empty if all is well
 * @param warnings what a person should look into although nothing is to be done about it by machine, one sentence each
 */
public record HealthReport(List<String> reasons, List<String> warnings) {

    /** Whether all is well. */
    public boolean healthy() {
        return reasons.isEmpty();
    }
}

package io.controllermanager.schedule;

import java.time.Instant;

/**
 * One time of a schedule. It is the time that the schedule says, not the one at which the slot is run.
 *
 * @param time a whole second; the slots of one schedule are at least a minute apart
 */
public record Slot(Instant time) {

    /**
     * The minutes since 1970, for the name of what is made for the slot: it is the same each time and differs from those of all
     * other slots of the schedule. CronJobs name their Jobs so (cronjob_controllerv2.go, {@code getJobName}).
     */
    public String suffix() {
        return Long.toString(Math.floorDiv(time.getEpochSecond(), 60L));
    }
}

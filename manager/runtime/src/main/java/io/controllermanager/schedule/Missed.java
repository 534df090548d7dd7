package io.controllermanager.schedule;

/**
 * What becomes of slots that nobody ran at their time, such as while no controller ran. Also of those that a reconcile comes too
 * late for, since it was busy, failed or was told to wait.
 */
public enum Missed {

    /** The newest is run, however late, and those before it are not, as a CronJob does without a deadline. */
    ONCE,

    /** The newest is run unless it is more than a minute late, as a CronJob does with a deadline. */
    SKIP,

    /** Each is run, the oldest first. Of more than {@link Schedule#MOST_CAUGHT_UP} the oldest are not. */
    ALL
}

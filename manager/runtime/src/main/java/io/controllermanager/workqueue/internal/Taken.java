package io.controllermanager.workqueue.internal;

/**
 * How a key came to its worker.
 *
 * @param causes why it was queued
 * @param waitedNanos how long it had been ready
 * @param priority with which it was taken
 */
public record Taken(Causes causes, long waitedNanos, int priority) {

    /** Nothing is known. */
    public static final Taken NOTHING = new Taken(Causes.NONE, 0, WorkQueue.NORMAL_PRIORITY);
}

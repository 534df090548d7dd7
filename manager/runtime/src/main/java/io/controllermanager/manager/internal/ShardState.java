package io.controllermanager.manager.internal;

/** What one process knows of a shard. */
public enum ShardState {
    /** This process works on it. */
    WORKING,
    /** This process has its Lease, and does not work: yet, or because it is paused or handed over. */
    WAITING,
    /** Another process has its Lease, or others divide the controller in another way. */
    ELSEWHERE,
    /** No living process has its Lease. */
    FREE
}

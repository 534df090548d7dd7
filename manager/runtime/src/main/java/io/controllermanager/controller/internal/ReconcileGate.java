package io.controllermanager.controller.internal;

/**
 * Says whether a reconcile may begin at this moment, as leadership does. Workers are stopped when it may not; the gate is
 * for the moment in between, as when a suspended process wakes up with a key in a worker's hands. Asked on a worker's
 * thread after it has taken a key and just before it calls the reconciler; must be quick and safe for use by several
 * threads.
 */
@FunctionalInterface
public interface ReconcileGate {

    /** Lets every reconcile begin. */
    ReconcileGate OPEN = shard -> true;

    /**
     * Whether a reconcile may begin now.
     *
     * @param shard that of its key, 0 where the controller's keys are not divided
     */
    boolean isOpen(int shard);
}

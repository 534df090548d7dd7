package io.controllermanager.leaderelection;

/** Told when this process begins and ceases to lead. Called one at a time, in order, on the elector's threads. */
public interface LeadershipListener {

    /** This process leads from now on. Must return promptly. */
    void onAcquired();

    /**
     * This process leads no longer: work must stop at once. Called before the lease can be taken by another. Must return
     * promptly.
     */
    void onLost();
}

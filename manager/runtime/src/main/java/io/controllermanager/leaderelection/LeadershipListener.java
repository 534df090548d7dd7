package io.controllermanager.leaderelection;

import java.util.Map;

/** Told when this process begins and ceases to lead. Called one at a time, in order, on the elector's threads. */
public interface LeadershipListener {

    /** This process leads from now on. Must return promptly. */
    void onAcquired();

    /**
     * This process leads no longer: work must stop at once. Called before the lease can be taken by another. Must return
     * promptly.
     */
    void onLost();

    /**
     * What the next leader is to know, as text by any key; it travels with the Lease when that is given back. Asked once the
     * work has ended. Must return promptly.
     */
    default Map<String, String> legacy() {
        return Map.of();
    }
}

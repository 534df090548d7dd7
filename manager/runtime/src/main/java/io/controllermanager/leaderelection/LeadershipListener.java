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
     * Another process should rather do this one's work, since that has less to do. Whoever agrees ends the work in its own
     * time and calls {@link LeaderElector#resign} then; unlike the others, this may be called at the same time as they are.
     * Must return promptly.
     *
     * @return whether it agrees; not unless overridden
     */
    default boolean onAsked() {
        return false;
    }

    /**
     * Whether the work has ended, so that another may lead at once: asked before the Lease is given back. If not, it is kept,
     * and others wait until it has expired. Must return promptly.
     */
    default boolean hasEnded() {
        return true;
    }

    /**
     * What the next leader is to know, as text by any key; it travels with the Lease when that is given back. Asked once the
     * work has ended. Must return promptly.
     */
    default Map<String, String> legacy() {
        return Map.of();
    }
}

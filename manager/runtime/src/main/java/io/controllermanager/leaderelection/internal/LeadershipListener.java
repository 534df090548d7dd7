package io.controllermanager.leaderelection.internal;

import java.util.Map;

/** Told when this process begins and ceases to lead. Called one at a time, in order, on the elector's threads. */
public interface LeadershipListener {

    /** This process leads from now on. Must return promptly. */
    void onAcquired();

    /** This process no longer leads: work must stop at once. Called before another can take the Lease. Must return promptly. */
    void onLost();

    /**
     * Another process asks for the Lease, because it has less to do. Whoever agrees ends the work in its own time and then
     * calls {@link LeaderElector#resign}, or {@link LeaderElector#keep} if it changes its mind. Must return promptly.
     *
     * @return whether it agrees; not unless overridden
     */
    default boolean onAsked() {
        return false;
    }

    /**
     * This process is about to ask for the Lease, which another holds. Must return promptly. Whoever could not do the work at
     * once prepares for it, however long that takes, and asks later, or gives up. Until then this process asks for no other.
     */
    default void beforeAsking(Asking asking) {
        asking.ask();
    }

    /**
     * Whether the work has ended, so that another may lead at once. Asked before the Lease is released. If not, the Lease is
     * kept, and others wait until it has expired. Must return promptly.
     */
    default boolean hasEnded() {
        return true;
    }

    /**
     * Hand-over notes for the next leader, as text by any key. They travel with the Lease when it is released; the next leader
     * reads them as {@link LeaderElector#handOverNotes}. Asked once the work has ended. Must return promptly.
     */
    default Map<String, String> handOverNotes() {
        return Map.of();
    }

    /** A Lease that this process is about to ask for. The first call counts. Any thread may call, and is not kept waiting. */
    interface Asking {

        /** Asks for it, unless things have changed since. */
        void ask();

        /** Does not ask for it. */
        void giveUp();
    }
}

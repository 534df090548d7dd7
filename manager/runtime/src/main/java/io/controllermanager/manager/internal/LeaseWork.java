package io.controllermanager.manager.internal;

import io.controllermanager.leaderelection.internal.LeadershipListener;
import java.util.Map;

/**
 * What is done by a Lease, as its {@link Candidacy} sees it: the work of a controller, or that of one shard of it. What changes
 * anything is called by the loop's thread, unless it says otherwise; the rest by any.
 */
interface LeaseWork {

    /** The part in the election for the Lease. */
    Candidacy candidacy();

    /** Where it is in its life. */
    ControllerLife life();

    /** Whether the Lease says when it may be done; not so for a controller whose shards have Leases of their own. */
    default boolean needsLease() {
        return true;
    }

    /** Whether it may be left to another process. */
    boolean mayMove();

    /** Whether nothing of it runs that the Lease guards. */
    boolean hasEnded();

    /** Whether it has been done and can never be done again in this process. */
    default boolean isShutDown() {
        return false;
    }

    /** Goes on with it, if a hand-over of an earlier term has stopped it after it had begun anew; as a rule none can. */
    default void reopen() {}

    /** Those of the versions that this process has written that whoever does this work next has to wait for. */
    default Map<String, String> notes(Map<String, String> written) {
        return ShardNotes.whole(written);
    }

    /** Waits for what still runs of it, and ends it at the shutdown timeout; on a thread of the caller's. */
    void drain();

    /** Prepares for the work, which another process does now, and asks for the Lease then; or gives up. */
    default void beforeAsking(LeadershipListener.Asking asking) {
        asking.ask();
    }
}

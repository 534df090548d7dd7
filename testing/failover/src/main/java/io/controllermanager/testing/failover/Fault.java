package io.controllermanager.testing.failover;

import java.util.EnumSet;
import java.util.List;

/**
 * What befalls the replicas; the leader is who holds the Lease that is aimed at. Durations follow the lease's, so that short
 * timings make short rounds.
 */
enum Fault {
    /** The leader gets SIGTERM, ends with 0, and a new replica is started. */
    STOP(true),

    /** The leader gets SIGKILL, and a new replica is started. */
    KILL(true),

    /** The leader gets SIGSTOP, and SIGCONT after twice the lease duration. */
    SUSPEND(true),

    /** The API server is away for a third of the lease duration. */
    API_DOWN_SHORT(true),

    /** The API server is away for four thirds of the lease duration: the leader has to stand down meanwhile. */
    API_DOWN(true),

    /** The API server is away for four times the lease duration: likewise. */
    API_DOWN_LONG(true),

    /** The leader's connections are closed, and it gets no new ones, until another leads. */
    NETWORK_CUT(true),

    /** What the leader sends goes nowhere, and its connections stay open, until another leads. */
    NETWORK_FROZEN(true),

    /** The Lease is deleted. */
    LEASE_DELETED(false),

    /** The Lease gets a label and an annotation by hand. */
    LEASE_LABELLED(false),

    /** The Lease gets another holder by hand, who does not exist. */
    LEASE_GIVEN_AWAY(true),

    /** The Lease loses its holder by hand. */
    LEASE_EMPTIED(true),

    /** The leader's wall clock goes an hour forward. */
    CLOCK_FORWARD(false),

    /** The leader's wall clock goes an hour back. */
    CLOCK_BACK(false),

    /** The leader's connections are closed, and its next ones go to another API server. */
    API_SERVER_CHANGED(false),

    /** Nobody reaches the API server but the Go program, which takes the Lease, and gives it back later. */
    CONTENDER_STOPS(true),

    /** Likewise, but it is killed later. */
    CONTENDER_KILLED(true);

    private final boolean mayChangeLeader;

    Fault(boolean mayChangeLeader) {
        this.mayChangeLeader = mayChangeLeader;
    }

    /** All that may happen. A Go program competes for one Lease alone; where work is spread there are two API servers. */
    static List<Fault> all(Work work) {
        EnumSet<Fault> others =
                work.spread() ? EnumSet.of(CONTENDER_STOPS, CONTENDER_KILLED) : EnumSet.of(API_SERVER_CHANGED);
        return List.copyOf(EnumSet.complementOf(others));
    }

    /** Whether the leader may be another afterwards; if not, a change is a mistake. */
    boolean mayChangeLeader() {
        return mayChangeLeader;
    }
}

package io.controllermanager.manager.internal;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * By what right this process does some work: its part in the election for a Lease, which is a {@link LeaseCandidacy}. One of
 * this class itself takes part in none: its controller may work from when it is up until it has ended. The {@link HostLoop} has
 * it take one {@link #step} after another. Phase and term are changed by the loop's thread only, and read by any.
 */
class Candidacy {

    /** What is observed. */
    enum Phase {
        /** The elector is stopped. */
        IDLE,
        /** Another process may lead. */
        COMPETING,
        /** This process leads. */
        LEADING,
        /** This process leads, and ends the work so that another can go on. */
        HANDING_OVER,
        /** This process has given the Lease to another; the notice of the loss is to come. */
        RESIGNED,
        /** The elector is being stopped. */
        WITHDRAWING;

        boolean leads() {
            return this == LEADING || handsOver();
        }

        boolean handsOver() {
            return this == HANDING_OVER || this == RESIGNED;
        }
    }

    /** What is wanted. */
    enum Desired {
        AS_IT_IS,
        COMPETING,
        WITHDRAWN;

        /**
         * What follows from the controllers. The Lease of all is competed for when this process could do the work: each
         * controller's caches are synced, or are known to be late, so that one of them does not keep the others from work.
         * It is given up when the host is being stopped and all work has ended. The Lease of one is competed for when that one
         * could work, and given up when that one has ended or failed. One that is an anchor only is competed for when any of
         * those could work that have it.
         *
         * @param anchor whether nothing is done by this Lease itself
         * @param ended whether none of the work goes on
         * @param stopping whether the host is being stopped
         */
        static Desired of(boolean single, boolean anchor, List<ControllerLife> lives, boolean ended, boolean stopping) {
            if (single || stopping) {
                boolean up = single && lives.get(0).isUp();
                return ended ? WITHDRAWN : up ? COMPETING : AS_IT_IS;
            }
            boolean ready = anchor
                    ? lives.stream().anyMatch(ControllerLife::isUp)
                    : lives.stream().allMatch(ControllerLife::competes);
            return ready ? COMPETING : AS_IT_IS;
        }
    }

    /**
     * Leadership from one acquisition to its loss.
     *
     * @param number of the elector's term, negative if that was over before it was told of
     * @param lastWritten how far the last leader had written, which is to be read before anything is done
     * @param since the monotonic time of the acquisition
     */
    record Term(long number, Map<String, String> lastWritten, long since) {}

    final HostParts parts;
    final HostLoop loop;
    volatile Phase phase = Phase.IDLE;
    volatile @Nullable Term term;

    /** What is done by this right; nothing by that of an anchor. */
    volatile List<ShardWork> work = List.of();

    /** What has to end before it is given up: the work, and all shards of those that have it as anchor. */
    volatile List<ShardWork> guarded = List.of();

    final boolean single;

    /**
     * Starts nothing.
     *
     * @param single whether it is that of one controller, without which it is no use
     */
    Candidacy(boolean single, HostParts parts, HostLoop loop) {
        this.single = single;
        this.parts = parts;
        this.loop = loop;
    }

    /** Has its part for these controllers from now on. */
    final void follow(Collection<HostedController> controllers) {
        List<ShardWork> all =
                controllers.stream().flatMap(one -> one.shards().stream()).toList();
        work = all.stream().filter(shard -> shard.candidacy() == this).toList();
        guarded = all.stream()
                .filter(shard -> shard.candidacy() == this
                        || shard.controller().candidacies().get(0) == this)
                .toList();
    }

    /** Takes one step on the loop's thread; returns whether there was one to take. */
    final boolean step() {
        List<ControllerLife> lives =
                guarded.stream().map(shard -> shard.controller().life()).toList();
        boolean ended = guarded.stream().allMatch(ShardWork::hasEnded);
        Desired desired = Desired.of(single, isAnchorOnly(), lives, ended, loop.stopping());
        if (phase == Phase.IDLE && desired == Desired.COMPETING) {
            begin();
            return true;
        }
        if (phase != Phase.IDLE && phase != Phase.WITHDRAWING && desired == Desired.WITHDRAWN) {
            end();
            return true;
        }
        return false;
    }

    /** Leads, or competes for that. */
    void begin() {
        phase = Phase.LEADING;
        term = new Term(0, Map.of(), parts.clock().nanoTime());
    }

    /** Leads and competes no longer. */
    void end() {
        phase = Phase.IDLE;
    }

    /** Whether nothing is done by this Lease itself, and others have it as their anchor. */
    final boolean isAnchorOnly() {
        return work.isEmpty() && !guarded.isEmpty();
    }

    final Phase phase() {
        return phase;
    }

    final @Nullable Term term() {
        return term;
    }

    /** The name of its Lease, empty if it has none. */
    String lease() {
        return "";
    }

    /** Whether a controller that has ended has nothing to wait for: it was given up, or is needed for the others. */
    final boolean isGone() {
        return phase == Phase.IDLE || (!single && !loop.stopping());
    }

    /** One of its shards has caught up with the holder before. */
    void caughtUp() {}

    /** Leaves a Lease to others that this process does not hold, as long as it may not work by it; or no longer. */
    void standAside(boolean now) {}

    /**
     * Gives the Lease away once the work has ended, which is waited for in the background; keeps it if that fails.
     *
     * @param drain ends the work, blocking
     */
    void handOver(Runnable drain) {
        throw new IllegalStateException("there is no other process to hand over to");
    }
}

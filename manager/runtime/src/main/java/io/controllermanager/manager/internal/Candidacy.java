package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * This process's part in the election for one Lease, by which all controllers work, or one, or one shard of it. The {@link
 * HostLoop} has it take one {@link #step} after another; what the elector tells becomes an event of the loop. Phase and term
 * are changed by the loop's thread only, and read by any.
 */
final class Candidacy implements LeadershipListener {

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
         * could work, and given up when that one has ended or failed.
         *
         * @param ended whether none of the work goes on
         * @param stopping whether the host is being stopped
         */
        static Desired of(boolean single, List<ControllerLife> lives, boolean ended, boolean stopping) {
            if (single || stopping) {
                boolean up = single && lives.get(0).isUp();
                return ended ? WITHDRAWN : up ? COMPETING : AS_IT_IS;
            }
            return lives.stream().allMatch(ControllerLife::settled) ? COMPETING : AS_IT_IS;
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

    private final @Nullable LeaderElector elector;
    private final boolean single;
    private final HostParts parts;
    private final HostLoop loop;
    private volatile Phase phase = Phase.IDLE;
    private volatile @Nullable Term term;

    /** Who works by the Lease or has it as anchor. */
    private volatile List<HostedController> parties = List.of();

    /** What is done by the Lease; nothing by that of an anchor. */
    private volatile List<ShardWork> work = List.of();

    /** What the holder before had written, as this one took the Lease last, until the caches here have it. */
    private volatile Map<String, String> lastWritten = Map.of();

    /**
     * Starts nothing.
     *
     * @param elector competes for the Lease; null for a controller that always may work
     * @param single whether the Lease is that of one controller, without which it is no use
     */
    Candidacy(@Nullable LeaderElector elector, boolean single, HostParts parts, HostLoop loop) {
        this.elector = elector;
        this.single = single;
        this.parts = parts;
        this.loop = loop;
    }

    /** Has its part for these controllers from now on. */
    void follow(Collection<HostedController> controllers) {
        parties = controllers.stream()
                .filter(one -> one.candidacies().anyMatch(this::equals))
                .toList();
        work = parties.stream()
                .flatMap(one -> one.shards().stream())
                .filter(shard -> shard.candidacy() == this)
                .toList();
    }

    /** Takes one step on the loop's thread; returns whether there was one to take. */
    boolean step() {
        List<ControllerLife> lives =
                parties.stream().map(HostedController::life).toList();
        boolean ended = work.stream().allMatch(ShardWork::hasEnded)
                && parties.stream().allMatch(one -> one.anchor() != this || one.hasEnded());
        Desired desired = Desired.of(single, lives, ended, loop.stopping());
        boolean begin = phase == Phase.IDLE && desired == Desired.COMPETING;
        boolean end = phase != Phase.IDLE && phase != Phase.WITHDRAWING && desired == Desired.WITHDRAWN;
        LeaderElector competing = elector;
        if (competing == null) {
            term = begin ? new Term(0, Map.of(), parts.clock().nanoTime()) : term;
            phase = begin ? Phase.LEADING : end ? Phase.IDLE : phase;
        } else if (begin) {
            phase = Phase.COMPETING;
            competing.start(this);
        } else if (end) {
            phase = Phase.WITHDRAWING;
            HostLoop.background("controller-manager-leave-" + lease(), () -> {
                try {
                    // Returns when the listener knows of it and the Lease is released.
                    competing.stop();
                } finally {
                    loop.post(() -> phase = Phase.IDLE);
                }
            });
        }
        return begin || end;
    }

    @Nullable
    LeaderElector elector() {
        return elector;
    }

    private LeaderElector own() {
        return Objects.requireNonNull(elector);
    }

    Phase phase() {
        return phase;
    }

    @Nullable
    Term term() {
        return term;
    }

    /** Whether a controller that has ended has no Lease to wait for: it was given up, or is needed for the others. */
    boolean isGone() {
        return phase == Phase.IDLE || (!single && !loop.stopping());
    }

    /** One of its shards has caught up with the holder before. */
    void caughtUp() {
        if (work.stream().allMatch(shard -> shard.life().phase() == ShardLife.Phase.WORKING)) {
            lastWritten = Map.of();
        }
    }

    String lease() {
        return elector == null ? "" : elector.config().leaseName();
    }

    /** One that has the Lease to itself leaves it to others while it is paused, as long as this process does not hold it. */
    void standAside(boolean now) {
        if (single && elector != null) {
            elector.standAside(now);
        }
    }

    @Override
    public void onAcquired() {
        Term begun = new Term(own().term(), own().handOverNotes(), parts.clock().nanoTime());
        V1Lease reference = own().reference();
        loop.post(() -> {
            if (phase == Phase.COMPETING) {
                phase = Phase.LEADING;
                term = begun;
                lastWritten = begun.lastWritten();
            }
            loop.settle();
            record(reference, "became leader");
        });
    }

    @Override
    public void onLost() {
        V1Lease reference = own().reference();
        loop.post(() -> {
            boolean meant = phase == Phase.RESIGNED || phase == Phase.WITHDRAWING || loop.stopping();
            if (phase.leads()) {
                phase = Phase.COMPETING;
                term = null;
            }
            List<ShardWork> up = work.stream()
                    .filter(shard -> shard.controller().life().isUp())
                    .toList();
            loop.settle();
            record(reference, "stopped leading");
            boolean onlyAnchor = work.isEmpty() && !parties.isEmpty();
            if (!meant && !onlyAnchor) {
                reactToLoss(up.stream()
                        .anyMatch(shard -> shard.controller().runner().isShutDown()));
            }
        });
    }

    private void reactToLoss(boolean unrestartable) {
        HostListener listener = parts.listener();
        HostLoop.background(
                "controller-manager-leadership-lost",
                unrestartable ? listener::onUnrestartable : listener::onLeadershipLost);
    }

    /** As client-go's elector tells of its changes. */
    private void record(V1Lease lease, String what) {
        LeaderElectionConfig config = own().config();
        if (config.enabled()) {
            parts.recorders().apply(lease()).normal(lease, "LeaderElection", config.identity() + " " + what);
        }
    }

    /** Agrees by what it sees; where that has changed when the loop comes to it, the Lease is kept. */
    @Override
    public boolean onAsked() {
        boolean agreed = mayHandOver();
        if (agreed) {
            loop.post(() -> {
                if (mayHandOver()) {
                    phase = Phase.HANDING_OVER;
                } else {
                    own().keep();
                }
            });
        }
        return agreed;
    }

    private boolean mayHandOver() {
        return single
                && phase == Phase.LEADING
                && !work.isEmpty()
                && work.stream().allMatch(ShardWork::mayMove);
    }

    @Override
    public void beforeAsking(Asking asking) {
        loop.post(() -> {
            try {
                work.forEach(shard -> shard.beforeAsking(asking));
                if (work.isEmpty()) {
                    asking.ask();
                }
            } catch (RuntimeException | Error e) {
                asking.giveUp();
                throw e;
            }
        });
    }

    /**
     * Gives the Lease away once the work has ended, which is waited for in the background; keeps it if that fails.
     *
     * @param drain ends the work, blocking
     */
    void handOver(Runnable drain) {
        Term begun = term;
        if (phase == Phase.LEADING) {
            phase = Phase.HANDING_OVER;
        }
        HostLoop.background("controller-manager-hand-over-" + lease(), () -> {
            boolean ended = false;
            try {
                drain.run();
                ended = true;
            } finally {
                boolean succeeded = ended;
                loop.post(() -> drained(begun, succeeded));
            }
        });
    }

    /**
     * The work of a hand-over has ended, or could not be ended: then nothing comes of it.
     *
     * @param begun the term in which it began
     */
    @SuppressWarnings("ReferenceEquality") // that very term, not one that is like it
    private void drained(@Nullable Term begun, boolean ended) {
        if (phase != Phase.HANDING_OVER || term != begun) {
            return;
        }
        boolean asBegun = work.stream().allMatch(shard -> shard.life().phase() == ShardLife.Phase.HANDING_OVER);
        if (ended && asBegun && hasEnded() && own().resign()) {
            phase = Phase.RESIGNED;
            return;
        }
        own().keep();
        if (own().isLeading()) {
            // Otherwise the loss is still to be told, which has it stand by.
            phase = Phase.LEADING;
            work.forEach(ShardWork::handOverAgain);
        }
    }

    @Override
    public boolean hasEnded() {
        return work.stream().allMatch(ShardWork::isIdle);
    }

    /** How far this process has written, for the next leader to read before it acts. */
    @Override
    public Map<String, String> handOverNotes() {
        Map<String, String> written = parts.cluster().writtenVersions();
        // Of several that share a Lease each has one shard, and so the same notes.
        Map<String, String> notes = work.stream()
                .findFirst()
                .map(shard -> ShardRules.notes(
                        written, shard.number(), shard.controller().shards().size()))
                .orElseGet(() -> ShardRules.notes(written, 0, 1));
        // A holder that has not caught up knows less than the one before it has told.
        for (Map.Entry<String, String> before : lastWritten.entrySet()) {
            notes.merge(before.getKey(), before.getValue(), Candidacy::later);
        }
        return notes;
    }

    private static String later(String one, String other) {
        return ResourceVersions.number(one) < ResourceVersions.number(other) ? other : one;
    }
}

package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's part in the election for one Lease, by which all controllers work, or one, or one shard of it. What the elector
 * tells becomes an event of the {@link HostLoop}.
 */
final class LeaseCandidacy extends Candidacy implements LeadershipListener {

    private static final Logger log = LoggerFactory.getLogger(LeaseCandidacy.class);

    private final LeaderElector elector;

    /** What the holder before had written, as this one took the Lease last, until the caches here have it. */
    private volatile Map<String, String> lastWritten = Map.of();

    /** Starts nothing; the elector competes for the Lease. */
    LeaseCandidacy(LeaderElector elector, boolean single, HostParts parts, HostLoop loop) {
        super(single, parts, loop);
        this.elector = elector;
    }

    @Override
    void begin() {
        phase = Phase.COMPETING;
        elector.start(this);
    }

    @Override
    void end() {
        phase = Phase.WITHDRAWING;
        HostLoop.background("controller-manager-leave-" + lease(), () -> {
            try {
                // Returns when the listener knows of it and the Lease is released.
                elector.stop();
            } finally {
                loop.post(() -> phase = Phase.IDLE);
            }
        });
    }

    @Override
    String lease() {
        return elector.config().leaseName();
    }

    @Override
    void caughtUp() {
        if (work.stream().allMatch(shard -> shard.life().phase() == ShardLife.Phase.WORKING)) {
            lastWritten = Map.of();
        }
    }

    /** One that is shared is left to nobody. */
    @Override
    void standAside(boolean now) {
        if (single) {
            elector.standAside(now);
        }
    }

    @Override
    public void onAcquired() {
        Term begun =
                new Term(elector.term(), elector.handOverNotes(), parts.clock().nanoTime());
        V1Lease reference = elector.reference();
        loop.post(() -> {
            if (phase == Phase.COMPETING) {
                phase = Phase.LEADING;
                term = begun;
                lastWritten = begun.lastWritten();
            }
            loop.settle();
            // Behind what the work waits for to begin.
            loop.post(() -> record(reference, "became leader"));
        });
    }

    @Override
    public void onLost() {
        V1Lease reference = elector.reference();
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
            if (!meant && !isAnchorOnly()) {
                HostListener listener = parts.listener();
                boolean unrestartable = up.stream()
                        .anyMatch(shard -> shard.controller().runner().isShutDown());
                HostLoop.background(
                        "controller-manager-leadership-lost",
                        unrestartable ? listener::onUnrestartable : listener::onLeadershipLost);
            }
        });
    }

    /** As client-go's elector tells of its changes. */
    private void record(V1Lease lease, String what) {
        LeaderElectionConfig config = elector.config();
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
                    elector.keep();
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

    @Override
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
            } catch (RuntimeException | Error e) {
                log.atError()
                        .setCause(e)
                        .addKeyValue("lease", lease())
                        .log("Lease {}: the hand-over to another replica failed: {}", lease(), FailureMessage.of(e));
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
        if (ended && asBegun && hasEnded() && elector.resign()) {
            phase = Phase.RESIGNED;
            return;
        }
        elector.keep();
        if (elector.isLeading()) {
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
            notes.merge(before.getKey(), before.getValue(), ResourceVersions::later);
        }
        return notes;
    }
}

package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.internal.connection.ScopedFence;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Competes for the Leases of one controller's shards, {@code <name>-<controller>-<index>-of-<count>}, and spreads them evenly
 * over processes as an {@link ElectorGroup}. The Lease that the controller would have with one shard is its anchor: whoever
 * takes that says in it how many shards there are, and processes that are configured otherwise take no shard. All methods may
 * be called by any thread.
 */
public final class ShardElectors implements ShardAgreement {

    private final LeaderElector anchor;
    private final ElectorGroup group;
    private final DivisionCheck check;
    private final int count;
    private volatile Runnable listener = () -> {};

    /** Read from the anchor once, and asked for each shard again and again. */
    private volatile @Nullable Judged judged;

    private record Judged(V1Lease known, @Nullable String disagreement) {}

    /**
     * Sends nothing before the electors are started. The electors of all shards share threads.
     *
     * @param config how to compete; the shards' Leases are called as this one, a dash, the controller's name and the shard
     * @param anchor competes for the anchor; its configuration says how the controller is divided here
     * @param shards the same
     * @param period how often to look for a Lease to ask for
     */
    public ShardElectors(
            LeaderElectionConfig config,
            LeaderElector anchor,
            String controller,
            Shards shards,
            Duration period,
            ElectionParts parts) {
        this.anchor = anchor;
        this.count = shards.count();
        String prefix = config.leaseName() + "-" + controller;
        List<String> suffixes = IntStream.range(0, count).mapToObj(this::suffix).toList();
        ElectionParts shared = parts.withSharedThreads("controller-manager-leader-election-" + controller);
        this.group = new ElectorGroup(
                config.withLeaseName(prefix).withDivided(Map.of(controller, shards)), suffixes, period, shared);
        this.check = new DivisionCheck(anchor, prefix, controller, shards);
        group.standAside(!agrees());
        anchor.onDivision(this::anchorChanged);
    }

    private String suffix(int shard) {
        return shard + "-of-" + count;
    }

    /** Who competes for a shard's Lease. */
    public LeaderElector elector(int shard) {
        return group.elector(suffix(shard));
    }

    /** The Leases of all shards together. */
    public ElectorGroup group() {
        return group;
    }

    /** Competes for the anchor; the host starts and stops it. */
    public LeaderElector anchor() {
        return anchor;
    }

    /** Within a reconcile the Lease of the key's shard decides, else this process must hold some shard. */
    public ScopedFence fence() {
        return group.fence();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a Lease that was read is not changed
    public @Nullable String disagreement() {
        if (!anchor.config().enabled()) {
            return null;
        }
        V1Lease known = anchor.known().lease();
        if (known == null) {
            return "Lease " + anchor.config().lease() + " has not been read yet";
        }
        Judged last = judged;
        if (last == null || last.known() != known) {
            last = new Judged(known, check.disagreement(known));
            judged = last;
        }
        return last.disagreement();
    }

    @Override
    public boolean isContradicted() {
        return !agrees() && anchor.liveHolder() != null;
    }

    @Override
    public void onAgreement(Runnable newListener) {
        listener = newListener;
    }

    private void anchorChanged() {
        group.standAside(!agrees());
        listener.run();
    }

    @Override
    public @Nullable String obstacle() {
        return check.obstacle();
    }
}

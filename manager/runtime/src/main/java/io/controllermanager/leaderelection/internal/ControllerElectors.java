package io.controllermanager.leaderelection.internal;

import io.controllermanager.informer.Shards;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who competes for the Leases by which one controller works: the Lease of all, one of its own, {@code <name>-<controller>}, or one
 * for each of its shards, {@code <name>-<controller>-<index>-of-<count>}. Those spread evenly over processes. The Lease of all is
 * their anchor: whoever takes that says in it by which Leases controllers work, and processes that are configured otherwise take
 * none of these.
 *
 * @param electors for each shard, by their numbers; none if it always works
 * @param anchor competes for the anchor; null if it works by that itself, or always
 * @param agreement whether other processes work by the same Leases as this one
 */
public record ControllerElectors(
        List<LeaderElector> electors, @Nullable LeaderElector anchor, ShardAgreement agreement) {

    /** Stands for all controllers that are not divided, where a configuration says how controllers are. */
    public static final String EACH = Divisions.EACH;

    /** No election decides: it always works. */
    public static ControllerElectors none() {
        return new ControllerElectors(List.of(), null, () -> null);
    }

    /** It works by a Lease that others work by, too. */
    public static ControllerElectors shared(LeaderElector elector, String controller) {
        return new ControllerElectors(
                List.of(elector), null, agreement(elector, new Division(controller, Shards.ONE, false)));
    }

    /** It works by a Lease of its own; the anchor's configuration says so of {@link #EACH}. */
    public static ControllerElectors own(LeaderElector elector, LeaderElector anchor, String controller) {
        return new ControllerElectors(
                List.of(elector), anchor, agreement(anchor, new Division(controller, Shards.ONE, true)));
    }

    /**
     * It is divided. The electors of all shards share threads.
     *
     * @param config how to compete; the shards' Leases are called as this one, a dash, the controller's name and the shard
     * @param anchor its configuration says how the controller is divided here
     * @param shards the same
     * @param period how often to look for a Lease to ask for
     */
    public static ControllerElectors divided(
            LeaderElectionConfig config,
            LeaderElector anchor,
            String controller,
            Shards shards,
            Duration period,
            ElectionParts parts) {
        List<String> suffixes = IntStream.range(0, shards.count())
                .mapToObj(shard -> shard + "-of-" + shards.count())
                .toList();
        ShardAgreement agreement = agreement(anchor, new Division(controller, shards, false));
        LeaseBalance balance = new LeaseBalance(
                config.withSuffix("-" + controller).withDivided(Map.of(controller, shards)),
                suffixes,
                period,
                parts.withSharedThreads("controller-manager-leader-election-" + controller),
                () -> !agreement.agrees());
        return new ControllerElectors(suffixes.stream().map(balance::elector).toList(), anchor, agreement);
    }

    private static ShardAgreement agreement(LeaderElector anchor, Division division) {
        List<DivisionCheck> checks = anchor.leases().stream()
                .map(one -> new DivisionCheck(one, division))
                .toList();
        return checks.size() == 1 ? checks.get(0) : new Agreements(checks);
    }

    /** Whether its shards move one by one. */
    public boolean divided() {
        return electors.size() > 1;
    }

    /** All of them, the anchor first. */
    public Stream<LeaderElector> all() {
        return Stream.concat(Stream.ofNullable(anchor), electors.stream());
    }
}

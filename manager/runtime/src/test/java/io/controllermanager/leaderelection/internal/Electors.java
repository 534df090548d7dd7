package io.controllermanager.leaderelection.internal;

import io.controllermanager.informer.Shards;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Makes electors for tests of other packages, by Leases in memory or with a period of their own. */
public final class Electors {

    private Electors() {}

    public static LeaderElector elector(LeaderElectionConfig config, LeaseStore.Lock lock, VirtualTime time) {
        return elector(config, lock, time, time);
    }

    static LeaderElector elector(LeaderElectionConfig config, LeaseStore.Lock lock, Clock clock, Timer timer) {
        return new LeaderElector(config, parts(any -> lock, clock, timer));
    }

    /** The Leases of one controller's shards, with an anchor of the configuration's own name. */
    public static ControllerElectors shards(
            LeaderElectionConfig config,
            String controller,
            Shards shards,
            Duration period,
            Function<LeaderElectionConfig, LeaseStore.Lock> locks,
            VirtualTime time) {
        ElectionParts parts = parts(locks::apply, time, time);
        LeaderElector anchor = new LeaderElector(config.withDivided(Map.of(controller, shards)), parts);
        return ControllerElectors.divided(config, anchor, controller, shards, period, parts);
    }

    public static LeaseBalance balance(
            LeaderElectionConfig config,
            Collection<String> controllers,
            Duration period,
            Function<LeaderElectionConfig, LeaseStore.Lock> locks,
            VirtualTime time) {
        return new LeaseBalance(config, controllers, period, parts(locks::apply, time, time));
    }

    public static LeaseBalance balance(
            LeaderElectionConfig config,
            Collection<String> controllers,
            Duration period,
            ApiClient leases,
            Clock clock,
            Timer timer) {
        return new LeaseBalance(
                config,
                controllers,
                period,
                ElectionParts.of(leases, clock, timer, new SimpleMeterRegistry(), () -> {}));
    }

    /** Each controller with one Lease of its own. */
    public static Map<String, ControllerElectors> own(
            LeaseBalance balance, LeaderElector anchor, Collection<String> controllers) {
        return controllers.stream()
                .collect(Collectors.toMap(
                        Function.identity(), name -> ControllerElectors.own(balance.elector(name), anchor, name)));
    }

    /** The anchor of those. */
    public static LeaderElector anchor(
            LeaderElectionConfig config, Function<LeaderElectionConfig, LeaseStore.Lock> locks, VirtualTime time) {
        return new LeaderElector(
                config.withDivided(Map.of(ControllerElectors.EACH, Shards.ONE)), parts(locks::apply, time, time));
    }

    public static LeaderElector anchor(LeaderElectionConfig config, ApiClient leases, Clock clock, Timer timer) {
        return new LeaderElector(
                config.withDivided(Map.of(ControllerElectors.EACH, Shards.ONE)),
                ElectionParts.of(leases, clock, timer, new SimpleMeterRegistry(), () -> {}));
    }

    private static ElectionParts parts(Function<LeaderElectionConfig, LeaseLock> locks, Clock clock, Timer timer) {
        return new ElectionParts(
                locks, clock, timer, new SimpleMeterRegistry(), ElectionThreads.real(), Math::random, false, () -> {});
    }
}

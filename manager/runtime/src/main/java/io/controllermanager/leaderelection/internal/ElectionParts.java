package io.controllermanager.leaderelection.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import org.slf4j.event.Level;

/**
 * What the elections of a process work with.
 *
 * @param locks where the Leases are, each with how to compete for it
 * @param timer for retries, renew deadlines and wishes
 * @param meters where {@code leader_election_…} go, by the Leases' names
 * @param threads makes executors that do one task after the other
 * @param random a random number from 0 to 1
 * @param quiet whether what is ordinary is logged at DEBUG, as for many Leases of one controller
 * @param onOlderLease told when a Lease is at an older version than it was; on any thread, must be brief
 */
public record ElectionParts(
        Function<LeaderElectionConfig, LeaseLock> locks,
        Clock clock,
        Timer timer,
        MeterRegistry meters,
        ElectionThreads threads,
        DoubleSupplier random,
        boolean quiet,
        Runnable onOlderLease) {

    /**
     * With Leases at an API server.
     *
     * @param leaseClient a client for Leases alone, so that neither a full dispatcher nor a rate limit delays a renewal;
     *     without fence, or no Lease could ever be taken
     */
    public static ElectionParts of(
            ApiClient leaseClient, Clock clock, Timer timer, MeterRegistry meters, Runnable onOlderLease) {
        return new ElectionParts(
                config -> new ApiLeaseLock(config, leaseClient, clock, timer),
                clock,
                timer,
                meters,
                ElectionThreads.real(),
                Math::random,
                false,
                onOlderLease);
    }

    /** The same with a controller's name added to the threads' names. */
    ElectionParts withThreadsOf(String controller) {
        return with(name -> threads.executor(name + "-" + controller), quiet);
    }

    /** The same for many Leases, quiet, with threads that all share, by that name. */
    ElectionParts withSharedThreads(String name) {
        return with(threads.shared(name), true);
    }

    private ElectionParts with(ElectionThreads others, boolean nowQuiet) {
        return new ElectionParts(locks, clock, timer, meters, others, random, nowQuiet, onOlderLease);
    }

    /** At which level something that is worth this one is logged. */
    Level level(Level level) {
        return quiet && level == Level.INFO ? Level.DEBUG : level;
    }
}

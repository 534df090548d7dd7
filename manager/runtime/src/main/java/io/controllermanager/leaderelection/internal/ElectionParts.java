package io.controllermanager.leaderelection.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * What the elections of a process work with.
 *
 * @param locks where the Leases are, each with how to compete for it
 * @param executors makes executors that do one task after the other, by the names of their threads
 * @param random a random number from 0 to 1
 */
public record ElectionParts(
        Function<LeaderElectionConfig, LeaseLock> locks,
        Clock clock,
        Timer timer,
        MeterRegistry meters,
        Function<String, Executor> executors,
        DoubleSupplier random) {

    /**
     * With Leases at an API server.
     *
     * @param leaseClient a client for Leases alone, so that neither a full dispatcher nor a rate limit delays a renewal;
     *     without fence, or no Lease could ever be taken
     * @param timer for retries, renew deadlines and wishes
     * @param meters where {@code leader_election_…} go, by the Leases' names
     */
    public static ElectionParts of(ApiClient leaseClient, Clock clock, Timer timer, MeterRegistry meters) {
        return of(config -> new ApiLeaseLock(config, leaseClient, clock, timer), clock, timer, meters);
    }

    static ElectionParts of(
            Function<LeaderElectionConfig, LeaseLock> locks, Clock clock, Timer timer, MeterRegistry meters) {
        return new ElectionParts(locks, clock, timer, meters, ElectionParts::thread, Math::random);
    }

    /** The same with a controller's name added to the threads' names. */
    ElectionParts withThreadsOf(String controller) {
        return new ElectionParts(locks, clock, timer, meters, name -> executors.apply(name + "-" + controller), random);
    }

    private static Executor thread(String name) {
        ExecutorService one = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        // Its thread is there when the first notice is to be given, which is that of leadership.
        one.execute(() -> {});
        return one;
    }

    /** Ends an executor's thread if it has one. */
    static void end(Executor executor) {
        if (executor instanceof ExecutorService service) {
            service.shutdown();
        }
    }
}

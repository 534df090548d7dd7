package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.leaderelection.internal.LeadershipStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Who leads, and who has which shards of divided controllers. */
@Endpoint(id = "leaderelection", defaultAccess = Access.READ_ONLY)
public class LeaderElectionEndpoint {

    private final Supplier<LeadershipStatus> leadership;
    private final Supplier<Map<String, LeadershipStatus>> leaderships;
    private final Supplier<Map<String, DividedDescriptor>> divided;

    /**
     * With where the state of leadership is asked for.
     *
     * @param leadership that of the host
     * @param leaderships that of each controller which has a Lease of its own, by its name; none where the host has one
     * @param divided the shards of each controller that is divided, by its name
     */
    public LeaderElectionEndpoint(
            Supplier<LeadershipStatus> leadership,
            Supplier<Map<String, LeadershipStatus>> leaderships,
            Supplier<Map<String, DividedDescriptor>> divided) {
        this.leadership = leadership;
        this.leaderships = leaderships;
        this.divided = divided;
    }

    /**
     * How leadership is: a {@link LeadershipStatus}, or {@link Controllers} where each has a Lease of its own. Where a
     * controller is divided, the same with its shards.
     */
    @ReadOperation
    public Object leaderElection() {
        Map<String, LeadershipStatus> each = leaderships.get();
        Map<String, DividedDescriptor> shards = divided.get();
        if (each.isEmpty()) {
            return shards.isEmpty() ? leadership.get() : LeaseAndShards.of(leadership.get(), shards);
        }
        return shards.isEmpty() ? new Controllers(each) : new ControllersAndShards(each, shards);
    }

    /**
     * How leadership is for one controller: a {@link DividedDescriptor} if it is divided, else a {@link LeadershipStatus};
     * null if there is none of that name with a Lease of its own.
     */
    @ReadOperation
    public @Nullable Object leaderElection(@Selector String controller) {
        DividedDescriptor shards = divided.get().get(controller);
        return shards == null ? leaderships.get().get(controller) : shards;
    }

    /**
     * How leadership is where each controller has a Lease of its own.
     *
     * @param controllers for each, by its name
     */
    public record Controllers(Map<String, LeadershipStatus> controllers) {}

    /**
     * How leadership is where each controller has a Lease of its own and some are divided.
     *
     * @param controllers for each, by its name; of one that is divided this is the Lease which says into how many shards
     * @param divided the shards of each that is divided, by its name
     */
    public record ControllersAndShards(
            Map<String, LeadershipStatus> controllers, Map<String, DividedDescriptor> divided) {}

    /**
     * How leadership is where all have one Lease and some controllers are divided.
     *
     * @param enabled as all up to {@code watchError} in {@link LeadershipStatus}
     * @param divided the shards of each controller that is divided, by its name
     */
    public record LeaseAndShards(
            boolean enabled,
            String lease,
            String identity,
            boolean leading,
            @Nullable String holder,
            @Nullable Instant acquiredAt,
            @Nullable Duration sinceRenewal,
            int transitions,
            @Nullable String waitsFor,
            @Nullable String lastError,
            @Nullable String watchError,
            Map<String, DividedDescriptor> divided) {

        private static LeaseAndShards of(LeadershipStatus lease, Map<String, DividedDescriptor> divided) {
            return new LeaseAndShards(
                    lease.enabled(),
                    lease.lease(),
                    lease.identity(),
                    lease.leading(),
                    lease.holder(),
                    lease.acquiredAt(),
                    lease.sinceRenewal(),
                    lease.transitions(),
                    lease.waitsFor(),
                    lease.lastError(),
                    lease.watchError(),
                    divided);
        }
    }
}

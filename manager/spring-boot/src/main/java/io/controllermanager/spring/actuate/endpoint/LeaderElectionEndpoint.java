package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.leaderelection.internal.LeadershipStatus;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Who leads. */
@Endpoint(id = "leaderelection", defaultAccess = Access.READ_ONLY)
public class LeaderElectionEndpoint {

    private final Supplier<LeadershipStatus> leadership;
    private final Supplier<Map<String, LeadershipStatus>> leaderships;

    /**
     * With where the state of leadership is asked for.
     *
     * @param leadership that of the host
     * @param leaderships that of each controller which has a Lease of its own, by its name; none where the host has one
     */
    public LeaderElectionEndpoint(
            Supplier<LeadershipStatus> leadership, Supplier<Map<String, LeadershipStatus>> leaderships) {
        this.leadership = leadership;
        this.leaderships = leaderships;
    }

    /** How leadership is: a {@link LeadershipStatus}, or {@link Controllers} where each has a Lease of its own. */
    @ReadOperation
    public Object leaderElection() {
        Map<String, LeadershipStatus> each = leaderships.get();
        return each.isEmpty() ? leadership.get() : new Controllers(each);
    }

    /** How leadership is for one controller; null if there is none of that name with a Lease of its own. */
    @ReadOperation
    public @Nullable LeadershipStatus leaderElection(@Selector String controller) {
        return leaderships.get().get(controller);
    }

    /**
     * How leadership is where each controller has a Lease of its own.
     *
     * @param controllers for each, by its name
     */
    public record Controllers(Map<String, LeadershipStatus> controllers) {}
}

package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.leaderelection.LeadershipStatus;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Who leads. */
@Endpoint(id = "leaderelection", defaultAccess = Access.READ_ONLY)
public class LeaderElectionEndpoint {

    private final Supplier<LeadershipStatus> leadership;

    /** With where the state of leadership is asked for. */
    public LeaderElectionEndpoint(Supplier<LeadershipStatus> leadership) {
        this.leadership = leadership;
    }

    /** How leadership is. */
    @ReadOperation
    public LeadershipStatus leadership() {
        return leadership.get();
    }
}

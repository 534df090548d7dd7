package io.controllermanager.spring.actuate.health;

import io.controllermanager.manager.internal.HealthReport;
import java.util.function.Supplier;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.health.application.LivenessStateHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Alive unless a restart would help: an API server that is away or a cache that does not fill is no reason. Stands in for
 * Spring Boot's own indicator, and so is in its liveness group.
 */
public class HostLivenessHealthIndicator extends LivenessStateHealthIndicator {

    private final Supplier<HealthReport> liveness;

    /** With the application's state and the host's. */
    public HostLivenessHealthIndicator(ApplicationAvailability availability, Supplier<HealthReport> liveness) {
        super(availability);
        this.liveness = liveness;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) throws Exception {
        super.doHealthCheck(builder);
        HostHealth.add(builder, liveness.get(), Status.DOWN);
    }
}

package io.controllermanager.spring.actuate.health;

import io.controllermanager.manager.internal.HealthReport;
import java.util.function.Supplier;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Ready if the application is, caches are synced and the API server can be reached. A standby is ready: it takes over at
 * any moment. Stands in for Spring Boot's own indicator, and so is in its readiness group.
 */
public class HostReadinessHealthIndicator extends ReadinessStateHealthIndicator {

    private final Supplier<HealthReport> readiness;

    /** With the application's state and the host's. */
    public HostReadinessHealthIndicator(ApplicationAvailability availability, Supplier<HealthReport> readiness) {
        super(availability);
        this.readiness = readiness;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) throws Exception {
        super.doHealthCheck(builder);
        HostHealth.add(builder, readiness.get(), Status.OUT_OF_SERVICE);
    }
}

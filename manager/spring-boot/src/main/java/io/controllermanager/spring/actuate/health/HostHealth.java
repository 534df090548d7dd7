package io.controllermanager.spring.actuate.health;

import io.controllermanager.manager.internal.HealthReport;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Adds what the host says of itself to what Spring Boot says of the application. */
final class HostHealth {

    private HostHealth() {}

    /** Takes over the status if the host is unhealthy, and names reasons and warnings. */
    static void add(Health.Builder builder, HealthReport report, Status unhealthy) {
        if (!report.healthy()) {
            builder.status(unhealthy).withDetail("reasons", report.reasons());
        }
        if (!report.warnings().isEmpty()) {
            builder.withDetail("warnings", report.warnings());
        }
    }
}

package io.controllermanager.spring.autoconfigure;

import io.controllermanager.manager.internal.HealthReport;
import io.controllermanager.spring.actuate.health.HostLivenessHealthIndicator;
import io.controllermanager.spring.actuate.health.HostReadinessHealthIndicator;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Puts the host's state into Spring Boot's readiness and liveness indicators, by taking their place: so it is in the
 * probes' groups without further configuration.
 */
@AutoConfiguration(
        after = {ControllerManagerAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class},
        before = {AvailabilityProbesAutoConfiguration.class, AvailabilityHealthContributorAutoConfiguration.class})
@ConditionalOnClass(ReadinessStateHealthIndicator.class)
@ConditionalOnBean(ControllerManagerHost.class)
public final class ControllerManagerHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "readinessStateHealthIndicator", search = SearchStrategy.CURRENT)
    HostReadinessHealthIndicator readinessStateHealthIndicator(
            ApplicationAvailability availability, ControllerManagerHost host, ObjectProvider<ReadinessReasons> others) {
        return new HostReadinessHealthIndicator(availability, () -> {
            List<ReadinessReasons> all = others.stream().toList();
            HealthReport report = host.readiness(all.stream().allMatch(ReadinessReasons::waitsForCaches));
            List<String> reasons = new ArrayList<>(report.reasons());
            all.forEach(other -> reasons.addAll(other.get()));
            return new HealthReport(reasons, report.warnings());
        });
    }

    @Bean
    @ConditionalOnMissingBean(name = "livenessStateHealthIndicator", search = SearchStrategy.CURRENT)
    HostLivenessHealthIndicator livenessStateHealthIndicator(
            ApplicationAvailability availability, ControllerManagerHost host) {
        return new HostLivenessHealthIndicator(availability, host::liveness);
    }
}

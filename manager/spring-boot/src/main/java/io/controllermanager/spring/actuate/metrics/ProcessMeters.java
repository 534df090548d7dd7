package io.controllermanager.spring.actuate.metrics;

import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;

/**
 * The process's metrics under the names that all of Prometheus's client libraries give them, {@code process_cpu_seconds_total}
 * and the like, instead of Spring Boot's: of those one would be the same metric twice, and the others say the same in other
 * words. Registries other than Prometheus's keep Spring Boot's. What the JVM has to say remains Micrometer's.
 */
public final class ProcessMeters implements MeterRegistryCustomizer<PrometheusMeterRegistry> {

    private static final Set<String> REPLACED = Set.of(
            "process.cpu.time",
            "process.cpu.usage",
            "process.files.max",
            "process.files.open",
            "process.start.time",
            "process.uptime");

    @Override
    public void customize(PrometheusMeterRegistry registry) {
        registry.config().meterFilter(MeterFilter.deny(id -> REPLACED.contains(id.getName())));
        PrometheusRegistry target = registry.getPrometheusRegistry();
        // An application may have done so itself, by JvmMetrics as well: a second time is refused.
        if (target.scrape(name -> name.startsWith("process_cpu_seconds")).size() == 0) {
            ProcessMetrics.builder().register(target);
        }
    }
}

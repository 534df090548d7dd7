package io.controllermanager.spring.actuate.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessMetersTests {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @ParameterizedTest
    @CsvSource({
        "process_cpu_seconds_total, counter",
        "process_resident_memory_bytes, gauge",
        "process_virtual_memory_bytes, gauge",
        "process_open_fds, gauge",
        "process_max_fds, gauge",
        "process_start_time_seconds, gauge"
    })
    void namesAreThoseOfAllOfPrometheussClientLibraries(String name, String type) {
        customizeAndBindWhatSpringBootBrings();
        assertThat(registry.scrape().lines())
                .anyMatch(line -> line.matches("# HELP " + name + " \\S.*"))
                .containsOnlyOnce("# TYPE " + name + " " + type)
                .anyMatch(line -> line.matches(name + " [0-9.E]+"));
    }

    @Test
    void springBootsOwnAreNotThereTwice() {
        customizeAndBindWhatSpringBootBrings();
        assertThat(registry.scrape())
                .contains("\njvm_memory_used_bytes{", "\nsystem_load_average_1m ")
                .doesNotContain("process_uptime", "process_files", "process_cpu_usage");
    }

    @Test
    void anApplicationsOwnAreLeftAlone() {
        JvmMetrics.builder().register(registry.getPrometheusRegistry());
        new ProcessMeters().customize(registry);
        registry.counter("process.steps").increment();
        assertThat(registry.scrape().lines())
                .containsOnlyOnce("# TYPE process_cpu_seconds_total counter")
                .contains("process_steps_total 1.0");
    }

    private void customizeAndBindWhatSpringBootBrings() {
        new ProcessMeters().customize(registry);
        new UptimeMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        try (JvmGcMetrics gc = new JvmGcMetrics()) {
            gc.bindTo(registry);
        }
    }
}

package io.controllermanager.spring.actuate.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.jvm.JvmCompilationMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PrometheusConventionsTests {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @BeforeEach
    void filter() {
        registry.config().meterFilter(new PrometheusConventions());
    }

    @Test
    void everyMeterHasAHelpText() {
        registry.timer("http.server.requests", "uri", "/a");
        registry.counter("someones.own_counter");
        assertThat(registry.scrape())
                .contains("# HELP http_server_requests_seconds How long HTTP requests took.")
                .contains("# HELP someones_own_counter_total Someones own counter.")
                .contains("uri=\"/a\"");
    }

    @Test
    void unitsAreBaseUnits() {
        new ProcessorMetrics().bindTo(registry);
        new JvmCompilationMetrics().bindTo(registry);
        assertThat(registry.scrape()).contains("\nsystem_cpus ").doesNotContain("_ns_", "_ms_", "system_cpu_count");
    }
}

package io.controllermanager.spring.autoconfigure;

import io.controllermanager.spring.actuate.metrics.ControllerManagerInfo;
import io.controllermanager.spring.actuate.metrics.MicrosecondBuckets;
import io.controllermanager.spring.actuate.metrics.ProcessMeters;
import io.controllermanager.spring.actuate.metrics.PrometheusConventions;
import io.controllermanager.spring.logging.DroppedLogLines;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Has what goes to Prometheus follow its naming rules, and other registries get only what they can show. */
@AutoConfiguration(before = PrometheusMetricsExportAutoConfiguration.class)
@ConditionalOnClass(PrometheusMeterRegistry.class)
@ConditionalOnBooleanProperty(name = "controller-manager.enabled", matchIfMissing = true)
public final class ControllerManagerMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "prometheusConventions")
    MeterRegistryCustomizer<PrometheusMeterRegistry> prometheusConventions() {
        return registry -> registry.config().meterFilter(new PrometheusConventions());
    }

    /** For what reads meters but is neither Prometheus's nor passes them on to others. */
    @Bean
    @ConditionalOnMissingBean(name = "microsecondBuckets")
    MeterRegistryCustomizer<MeterRegistry> microsecondBuckets() {
        return registry -> {
            if (!(registry instanceof PrometheusMeterRegistry || registry instanceof CompositeMeterRegistry)) {
                registry.config().meterFilter(new MicrosecondBuckets());
            }
        };
    }

    /** By it queries tell this product's processes from others with metrics of the same names. */
    @Bean
    @ConditionalOnMissingBean(name = "controllerManagerInfo")
    MeterBinder controllerManagerInfo(Environment environment) {
        return new ControllerManagerInfo(environment.getProperty("spring.application.version", "unknown"));
    }

    @Bean
    @ConditionalOnMissingBean
    ProcessMeters processMeters() {
        return new ProcessMeters();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnClass(name = "ch.qos.logback.classic.LoggerContext")
    DroppedLogLines droppedLogLines() {
        return new DroppedLogLines();
    }
}

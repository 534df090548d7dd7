package io.controllermanager.spring.actuate.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.spring.autoconfigure.ControllerManagerMetricsAutoConfiguration;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A queue's meters, through Spring Boot's own registries. */
class MicrosecondBucketsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    PrometheusMetricsExportAutoConfiguration.class,
                    ControllerManagerMetricsAutoConfiguration.class));

    private final ListAppender<ILoggingEvent> logs = new ListAppender<>();

    @BeforeEach
    void listen() {
        logs.start();
        root().addAppender(logs);
    }

    @AfterEach
    void end() {
        root().detachAppender(logs);
    }

    @Test
    void aRegistryThatMakesAGaugeOfEachBucketGetsEachOnce() {
        runner.withBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            assertThat(context.getBean(MeterRegistry.class)).isInstanceOf(CompositeMeterRegistry.class);
            List<String> simple;
            List<String> prometheus;
            try (SystemTimer timer = new SystemTimer("test")) {
                WorkQueue<String> queue = WorkQueue.<String>named("foo")
                        .clock(Clock.system())
                        .timer(timer)
                        .meterRegistry(context.getBean(MeterRegistry.class))
                        .build();
                simple =
                        context
                                .getBean(SimpleMeterRegistry.class)
                                .get("workqueue.queue.duration.histogram")
                                .gauges()
                                .stream()
                                .map(gauge -> gauge.getId().getTag("le"))
                                .toList();
                prometheus = context.getBean(PrometheusMeterRegistry.class)
                        .scrape()
                        .lines()
                        .filter(line -> line.startsWith("workqueue_queue_duration_seconds_bucket"))
                        .map(line -> line.replaceAll(".*le=\"(.*)\".*", "$1"))
                        .toList();
                queue.close();
            }

            assertThat(simple)
                    .containsExactlyInAnyOrder(
                            "0.000001", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000");
            assertThat(prometheus)
                    .containsExactly(
                            "1.0E-8", "1.0E-7", "1.0E-6", "1.0E-5", "1.0E-4", "0.001", "0.01", "0.1", "1.0", "10.0",
                            "100.0", "1000.0", "+Inf");
        });
        assertThat(logs.list).noneMatch(line -> line.getFormattedMessage().contains("already registered"));
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    }
}

package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class QueueMetricsTest {

    private static final String LABELS = "{controller=\"foo\",name=\"foo\"}";

    private final VirtualTime time = new VirtualTime();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final WorkQueue<String> queue = WorkQueue.<String>named("foo")
            .clock(time)
            .timer(time)
            .meterRegistry(registry)
            .build();

    @Test
    void countsUnderUpstreamsNames() throws InterruptedException {
        queue.add("a");
        queue.add("a");
        queue.add("b", WorkQueue.LOW_PRIORITY);
        queue.add("c", 7);
        queue.addAfter("d", Duration.ofSeconds(1));
        assertThat(registry.scrape().lines())
                .contains(
                        "workqueue_depth{controller=\"foo\",name=\"foo\",priority=\"0\"} 1.0",
                        "workqueue_depth{controller=\"foo\",name=\"foo\",priority=\"-100\"} 1.0",
                        "workqueue_depth{controller=\"foo\",name=\"foo\",priority=\"7\"} 1.0",
                        "workqueue_adds_total" + LABELS + " 3.0",
                        "workqueue_retries_total" + LABELS + " 1.0");

        time.advance(Duration.ofMillis(500));
        assertThat(queue.take()).isEqualTo("c");
        assertThat(queue.take()).isEqualTo("a");
        time.advance(Duration.ofMillis(250));
        assertThat(registry.scrape().lines())
                .contains(
                        "workqueue_unfinished_work_seconds" + LABELS + " 0.5",
                        "workqueue_longest_running_processor_seconds" + LABELS + " 0.25",
                        "workqueue_queue_duration_seconds_count" + LABELS + " 2",
                        "workqueue_queue_duration_seconds_sum" + LABELS + " 1.0");
        queue.done("c");
        queue.done("a");
        assertThat(registry.scrape().lines())
                .contains(
                        "workqueue_unfinished_work_seconds" + LABELS + " 0.0",
                        "workqueue_longest_running_processor_seconds" + LABELS + " 0.0",
                        "workqueue_work_duration_seconds_count" + LABELS + " 2",
                        "workqueue_work_duration_seconds_sum" + LABELS + " 0.5");
    }

    @Test
    void hasUpstreamsBuckets() {
        assertThat(registry.scrape()
                        .lines()
                        .filter(line -> line.startsWith("workqueue_work_duration_seconds_bucket"))
                        .map(line -> line.replaceAll(".*le=\"(.*)\".*", "$1")))
                .containsExactly(
                        "1.0E-8", "1.0E-7", "1.0E-6", "1.0E-5", "1.0E-4", "0.001", "0.01", "0.1", "1.0", "10.0",
                        "100.0", "1000.0", "+Inf");
    }

    @Test
    void describesEveryMeter() {
        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
    }

    /** Whatever priorities users make up, and however many keys there are. */
    @Test
    void seriesDoNotGrowWithoutEnd() {
        for (int i = 0; i < 100_000; i++) {
            queue.add("key-" + i, i % 1_000);
        }
        assertThat(registry.find("workqueue.depth").gauges()).hasSize(25);
        assertThat(registry.getMeters()).hasSize(25 + 6);
    }

    @Test
    void leavesNoMeterBehind() {
        queue.add("a", 7);
        queue.close();
        queue.add("a", 8);
        assertThat(registry.getMeters()).isEmpty();
    }
}

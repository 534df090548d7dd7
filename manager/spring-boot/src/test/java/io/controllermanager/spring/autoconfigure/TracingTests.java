package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryEventPublisherBeansApplicationListener;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Reconciles in an application that has micrometer-tracing's bridge to OpenTelemetry on its class path. */
class TracingTests {

    private final EventChannel<String> channel = new EventChannel<>();
    private final List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
    private final List<SpanData> spans = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    ControllerManagerAutoConfiguration.class,
                    ControllerManagerMetricsAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    PrometheusMetricsExportAutoConfiguration.class,
                    ObservationAutoConfiguration.class,
                    MicrometerTracingAutoConfiguration.class,
                    OpenTelemetrySdkAutoConfiguration.class,
                    OpenTelemetryTracingAutoConfiguration.class))
            // As SpringApplication does with it from Spring Boot's spring.factories.
            .withInitializer(context ->
                    context.addApplicationListener(new OpenTelemetryEventPublisherBeansApplicationListener()))
            .withBean(SpanProcessor.class, () -> SimpleSpanProcessor.create(new Spans()))
            .withBean(
                    ControllerDescriptor.class,
                    () -> ControllerDescriptor.named("printer")
                            .source(channel, name -> Set.of(new Request("printers", name)))
                            .reconciler(request -> {
                                contexts.add(MDC.getCopyOfContextMap());
                                if (request.getName().equals("broken")) {
                                    throw new IllegalStateException("no paper");
                                }
                                return new Result(false);
                            })
                            .build())
            .withPropertyValues(
                    "management.tracing.sampling.probability=1",
                    "controller-manager.leader-election.enabled=false",
                    // Nobody answers there, and nobody needs to.
                    "controller-manager.master=http://127.0.0.1:1");

    @BeforeAll
    static void listenToWhatIsCurrent() {
        OpenTelemetryEventPublisherBeansApplicationListener.addWrapper();
    }

    @Test
    void aReconcileIsOneSpanWhoseIdsItsLogLinesCarry() {
        runner.run(context -> {
            channel.send("one");
            await().until(() -> spans.size() == 1);

            SpanData span = spans.get(0);
            assertThat(span.getName()).isEqualTo("reconcile printer");
            assertThat(span.getParentSpanContext().isValid()).isFalse();
            Map<String, String> mdc = contexts.get(0);
            assertThat(mdc)
                    .containsEntry("traceId", span.getTraceId())
                    .containsEntry("spanId", span.getSpanId())
                    .containsEntry("controller", "printer")
                    .containsEntry("namespace", "printers")
                    .containsEntry("name", "one")
                    .containsKey("reconcileID");
            assertThat(attributes(span))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "controller", "printer",
                            "namespace", "printers",
                            "name", "one",
                            "reconcileID", mdc.get("reconcileID"),
                            "result", "success"));

            // The next one is another trace, and the former's ids are not left on the thread.
            channel.send("two");
            await().until(() -> spans.size() == 2);
            assertThat(spans.get(1).getTraceId()).isNotEqualTo(span.getTraceId());
            assertThat(contexts.get(1)).containsEntry("traceId", spans.get(1).getTraceId());
        });
    }

    @Test
    void aFailureIsOnItsSpan() {
        runner.run(context -> {
            channel.send("broken");
            await().until(() -> !spans.isEmpty());

            assertThat(spans.get(0).getStatus())
                    .isEqualTo(StatusData.create(StatusData.error().getStatusCode(), "no paper"));
            assertThat(attributes(spans.get(0))).containsEntry("result", "error");
        });
    }

    @Test
    void metersOfTheContractKeepTheirLabels() {
        runner.run(context -> {
            channel.send("one");
            await().untilAsserted(() -> assertThat(labels(context, "controller_runtime_reconcile_total"))
                    .containsExactlyInAnyOrder(
                            "controller=printer,result=success",
                            "controller=printer,result=error",
                            "controller=printer,result=requeue",
                            "controller=printer,result=requeue_after"));
            assertThat(labels(context, "controller_runtime_reconcile_errors_total"))
                    .containsExactly("controller=printer");
            assertThat(labels(context, "controller_runtime_reconcile_time_seconds_count"))
                    .containsExactly("controller=printer");
            assertThat(labels(context, "controller_runtime_active_workers")).containsExactly("controller=printer");
            assertThat(labels(context, "workqueue_adds_total")).containsExactly("controller=printer,name=printer");
            assertThat(labels(context, "workqueue_depth"))
                    .containsExactlyInAnyOrder(
                            "controller=printer,name=printer,priority=-100",
                            "controller=printer,name=printer,priority=0");
        });
    }

    private static List<String> labels(AssertableApplicationContext context, String metric) {
        return context.getBean(PrometheusMeterRegistry.class)
                .scrape()
                .lines()
                .filter(line -> line.startsWith(metric + "{"))
                .map(line ->
                        line.substring(line.indexOf('{') + 1, line.indexOf('}')).replace("\"", ""))
                .toList();
    }

    private static Map<String, String> attributes(SpanData span) {
        return span.getAttributes().asMap().entrySet().stream()
                .collect(Collectors.toMap(
                        (Map.Entry<AttributeKey<?>, Object> entry) ->
                                entry.getKey().getKey(),
                        entry -> entry.getValue().toString()));
    }

    /** Keeps what ends, on the thread that ends it. */
    private final class Spans implements SpanExporter {

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}

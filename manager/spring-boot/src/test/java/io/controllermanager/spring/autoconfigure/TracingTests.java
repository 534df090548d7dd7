package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.LinkedHashMap;
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
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Reconciles in an application that has micrometer-tracing's bridge to OpenTelemetry on its class path. */
class TracingTests {

    private final EventChannel<String> channel = new EventChannel<>();
    private final List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
    private final List<SpanData> spans = new CopyOnWriteArrayList<>();

    /** Of each request method and {@code traceparent}, as the API server gets them. */
    private final List<String> told = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner untraced = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    ControllerManagerAutoConfiguration.class,
                    ControllerManagerMetricsAutoConfiguration.class,
                    ControllerManagerTracingAutoConfiguration.class,
                    EmbeddedApiServerAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    PrometheusMetricsExportAutoConfiguration.class,
                    ObservationAutoConfiguration.class))
            .withPropertyValues("controller-manager.leader-election.enabled=false");

    private final ApplicationContextRunner traced = untraced.withConfiguration(AutoConfigurations.of(
                    MicrometerTracingAutoConfiguration.class,
                    OpenTelemetrySdkAutoConfiguration.class,
                    OpenTelemetryTracingAutoConfiguration.class))
            // As SpringApplication does with it from Spring Boot's spring.factories.
            .withInitializer(context ->
                    context.addApplicationListener(new OpenTelemetryEventPublisherBeansApplicationListener()))
            .withBean(SpanProcessor.class, () -> SimpleSpanProcessor.create(new Spans()))
            .withPropertyValues("management.tracing.sampling.probability=1");

    private final ApplicationContextRunner runner = traced.withBean(
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
            // Nobody answers there, and nobody needs to.
            .withPropertyValues("controller-manager.master=http://127.0.0.1:1");

    @BeforeAll
    static void listenToWhatIsCurrent() {
        OpenTelemetryEventPublisherBeansApplicationListener.addWrapper();
    }

    @Test
    void aReconcileIsOneSpanWhoseIdsItsLogLinesCarry() {
        runner.run(context -> {
            channel.send("one");
            await().until(() -> reconciles().size() == 1);

            SpanData span = reconciles().get(0);
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
            await().until(() -> reconciles().size() == 2);
            assertThat(reconciles().get(1).getTraceId()).isNotEqualTo(span.getTraceId());
            assertThat(contexts.get(1))
                    .containsEntry("traceId", reconciles().get(1).getTraceId());
        });
    }

    @Test
    void aFailureIsOnItsSpan() {
        runner.run(context -> {
            channel.send("broken");
            await().until(() -> !reconciles().isEmpty());

            assertThat(reconciles().get(0).getStatus())
                    .isEqualTo(StatusData.create(StatusData.error().getStatusCode(), "no paper"));
            assertThat(attributes(reconciles().get(0))).containsEntry("result", "error");
        });
    }

    @Test
    void theWaitInTheQueueIsASpanThatEndsAsTheReconcileBegins() {
        runner.run(context -> {
            channel.send("one");
            await().until(() -> reconciles().size() == 1);

            SpanData reconcile = reconciles().get(0);
            SpanData wait = named("wait in queue");
            assertThat(wait.getTraceId()).isEqualTo(reconcile.getTraceId());
            assertThat(wait.getParentSpanId()).isEqualTo(reconcile.getSpanId());
            assertThat(wait.getStartEpochNanos()).isLessThanOrEqualTo(wait.getEndEpochNanos());
            assertThat(wait.getEndEpochNanos()).isEqualTo(reconcile.getStartEpochNanos());
            assertThat(attributes(wait)).isEqualTo(Map.of("priority", "0"));
        });
    }

    @Test
    void aRequestIsASpanThatTheApiServerIsToldOfAndThatWhatItCausesLinksTo() {
        copying(traced).run(context -> {
            await("the one that was there").until(() -> reconciles().size() == 1);
            create(context.getBean(ApiServer.class).client(), "original");
            await().until(() -> reconciles().size() == 3);

            SpanData original = reconciles().get(1);
            SpanData request = named("create configmaps");
            assertThat(original.getLinks()).as("nobody here made it").isEmpty();
            assertThat(request.getTraceId()).isEqualTo(original.getTraceId());
            assertThat(request.getParentSpanId()).isEqualTo(original.getSpanId());
            assertThat(request.getKind()).isEqualTo(SpanKind.CLIENT);
            assertThat(attributes(request))
                    .isEqualTo(Map.of(
                            "http.request.method", "POST",
                            "url.path", "/api/v1/namespaces/default/configmaps",
                            "http.response.status_code", "201"));
            // Lists and watches are part of nothing.
            assertThat(told)
                    .contains("GET null")
                    .filteredOn(line -> !line.endsWith(" null"))
                    .singleElement(STRING)
                    .startsWith("POST 00-" + request.getTraceId() + "-" + request.getSpanId() + "-0");

            SpanData copy = reconciles().get(2);
            assertThat(copy.getTraceId()).isNotEqualTo(original.getTraceId());
            assertThat(copy.getLinks())
                    .extracting(link -> link.getSpanContext().getSpanId())
                    .containsExactly(request.getSpanId());
        });
    }

    @Test
    void aTracerAddsNoMeterAndWithoutOneRequestsAreAsTheyWere() {
        Map<String, Set<String>> meters = new LinkedHashMap<>();
        Map<String, Integer> interceptors = new LinkedHashMap<>();
        Map.of(
                        "traced", traced,
                        "untraced", untraced,
                        "not there", untraced.withClassLoader(new FilteredClassLoader(Tracer.class)))
                .forEach((name, runner) -> copying(runner).run(context -> {
                    told.clear();
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    await("the one that was there").until(() -> timed(registry) == 1);
                    create(context.getBean(ApiServer.class).client(), "original");
                    await().until(() -> timed(registry) == 3);
                    meters.put(
                            name,
                            registry.getMeters().stream()
                                    .map(meter -> meter.getId().getName())
                                    .collect(Collectors.toSet()));
                    interceptors.put(
                            name,
                            context.getBean(ApiConnection.class)
                                    .apiClient()
                                    .getHttpClient()
                                    .interceptors()
                                    .size());
                    assertThat(told.stream().allMatch(line -> line.endsWith(" null")))
                            .as(name)
                            .isEqualTo(!name.equals("traced"));
                }));
        assertThat(meters.get("traced")).isEqualTo(meters.get("untraced")).isEqualTo(meters.get("not there"));
        assertThat(interceptors.get("untraced")).isEqualTo(interceptors.get("traced") - 1);
        assertThat(interceptors.get("not there")).isEqualTo(interceptors.get("untraced"));
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

    private static long timed(MeterRegistry registry) {
        return registry.find("controller.reconcile").timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    /**
     * With a controller that copies the ConfigMap {@code original} on an embedded API server, and one worker. Once it has
     * reconciled the ConfigMap that is there, it has begun: one that is created meanwhile may be reconciled twice.
     */
    private ApplicationContextRunner copying(ApplicationContextRunner each) {
        return each.withBean(ApiServer.class, () -> {
                    ApiServer server = ApiServer.start();
                    create(server.client(), "there");
                    return server;
                })
                .withBean(
                        ApiClientCustomizer.class,
                        () -> client -> client.setHttpClient(client.getHttpClient()
                                .newBuilder()
                                .addNetworkInterceptor(chain -> {
                                    told.add(chain.request().method() + " "
                                            + chain.request().header("traceparent"));
                                    return chain.proceed(chain.request());
                                })
                                .build()))
                .withUserConfiguration(Copier.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Copier {

        @Bean
        ControllerDescriptor printer(ApiClient client) {
            return ControllerDescriptor.named("printer")
                    .forType(ResourceTypes.CONFIG_MAP)
                    .reconciler(request -> {
                        if (request.getName().equals("original")) {
                            create(client, "copy");
                        }
                        return new Result(false);
                    })
                    .build();
        }
    }

    private static void create(ApiClient client, String name) {
        V1ConfigMap map = new V1ConfigMap().metadata(new V1ObjectMeta().name(name));
        try {
            new CoreV1Api(client).createNamespacedConfigMap("default", map).execute();
        } catch (ApiException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<SpanData> reconciles() {
        return spans.stream()
                .filter(span -> span.getName().equals("reconcile printer"))
                .toList();
    }

    private SpanData named(String name) {
        return spans.stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
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

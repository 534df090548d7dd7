package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.workqueue.internal.Taken;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What log lines, meters and observations tell of reconciles. */
class ControllerTelemetryTest extends ControllerFixture {

    @Test
    void tellsTheReconcilersLogLinesWhatTheyAreAbout() {
        List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
        Function<Request, Result> remember = request -> {
            contexts.add(Map.copyOf(MDC.getCopyOfContextMap()));
            MDC.put("left behind", "by a reconciler");
            return DONE;
        };
        behaviours.put("a", remember);
        behaviours.put("b", remember);
        start(ControllerOptions.DEFAULTS);
        add("a", "b");
        eventually(() -> assertThat(contexts).hasSize(2));
        assertThat(contexts.get(0))
                .containsEntry("controller", "foo")
                .containsEntry("namespace", "default")
                .containsEntry("name", "a")
                .containsOnlyKeys("controller", "namespace", "name", "reconcileID");
        assertThat(contexts.get(1)).containsEntry("name", "b").hasSize(4);
        assertThat(contexts.get(0).get("reconcileID"))
                .isNotEqualTo(contexts.get(1).get("reconcileID"));
    }

    @Test
    void logsAKeyThatGoesOnFailingOnceWithItsStackAndThenOnceAMinuteWithACount() {
        behaviours.put("bad", request -> {
            throw new IllegalStateException("no");
        });
        start(ControllerOptions.DEFAULTS);
        add("bad");
        // After 0, 1, 3, 7, 15, 31 and 63 seconds.
        for (int i = 1; i <= 7; i++) {
            waitForReconciles(i);
            waitUntilSettled();
            if (i < 7) {
                time.advanceToNextTask();
            }
        }
        assertThat(messages(Level.ERROR))
                .containsExactly(
                        "Reconcile of foo default/bad failed, and is retried in 1000 ms: IllegalStateException: no",
                        "Reconcile of foo default/bad failed 7 times within 63 s, and is retried in 64 s:"
                                + " IllegalStateException: no");
        assertThat(logs.list.get(1).getThrowableProxy()).isNull();
        assertMetric("controller_runtime_reconcile_errors_total{controller=\"foo\"} 7.0");
        ILoggingEvent event = logs.list.get(0);
        assertThat(event.getThrowableProxy().getMessage()).isEqualTo("no");
        assertThat(event.getKeyValuePairs().stream().map(pair -> pair.key))
                .containsExactly("controller", "namespace", "name", "reconcileID", "cause");
        assertThat(event.getMDCPropertyMap())
                .as("structured formats refuse a name twice")
                .isEmpty();
    }

    @Test
    void logsAMistakeInTheObjectInOneLine() {
        behaviours.put("bad", request -> {
            throw new TerminalException("spec.cidr is nonsense");
        });
        start(ControllerOptions.DEFAULTS);
        add("bad");
        eventually(() -> assertThat(messages(Level.WARN)).hasSize(1));
        assertThat(messages(Level.WARN))
                .containsExactly("Reconcile of foo default/bad failed, and waits for a change:"
                        + " TerminalException: spec.cidr is nonsense");
        assertThat(logs.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
    }

    @Test
    void logsAnAnswerOfTheApiServerInOneLine() {
        behaviours.put("bad", request -> {
            throw new IllegalStateException(new ApiException(
                    "Conflict", 409, Map.of(), "{\"kind\":\"Status\",\"message\":\"has been modified\"}"));
        });
        start(ControllerOptions.DEFAULTS);
        add("bad");
        eventually(() -> assertThat(messages(Level.WARN))
                .containsExactly("Reconcile of foo default/bad failed, and is retried in 1000 ms:"
                        + " ApiException: 409 has been modified"));
        assertThat(logs.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
    }

    @Test
    void logsEveryFailureWithItsStackInDetail() {
        logger().setLevel(Level.DEBUG);
        behaviours.put("bad", request -> {
            throw new IllegalStateException("no");
        });
        start(ControllerOptions.DEFAULTS);
        add("bad");
        waitForReconciles(1);
        waitUntilSettled();
        time.advanceToNextTask();
        eventually(() -> assertThat(messages(Level.DEBUG))
                .containsExactly(
                        "Reconcile of foo default/bad failed 2 times within 1000 ms, and is retried in 2000 ms:"
                                + " IllegalStateException: no"));
        assertThat(logs.list)
                .hasSize(2)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNotNull());
    }

    @Test
    void logsAnUnreachableServerOnceForEachKey() {
        AtomicReference<String> message = new AtomicReference<>("Failed to connect");
        behaviours.put("bad", request -> {
            if (count("bad") == 5) {
                return DONE;
            }
            throw new IllegalStateException(new SocketException(message.get()));
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("bad");
        for (int i = 1; i <= 5; i++) {
            waitForReconciles(i);
            waitUntilSettled();
            if (i == 2) {
                message.set("Connection reset");
            }
            // No further than to the next retry, or one after that might slip in.
            assertThat(time.advanceToNextTask()).isEqualTo(i < 5);
        }
        assertThat(messages(Level.WARN)).hasSize(1);
        assertThat(logs.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
        assertThat(controller.snapshot().errors()).isEqualTo(4);
        add("bad");
        waitForReconciles(6);
        eventually(() -> assertThat(messages(Level.WARN)).hasSize(2));
    }

    @Test
    void observesEachReconcile() {
        List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onScopeOpened(Observation.Context context) {
                MDC.put("traceId", "4bf9");
            }

            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        behaviours.put("bad", request -> {
            throw new IllegalStateException("no");
        });
        start(builder(ControllerOptions.DEFAULTS)
                .meterRegistry(new CompositeMeterRegistry())
                .observationRegistry(observations));
        add("good", "bad");
        eventually(() -> assertThat(stopped).hasSize(2));
        assertThat(stopped.get(0).getName()).isEqualTo("controller.reconcile");
        assertThat(stopped.get(0).getLowCardinalityKeyValues())
                .containsExactlyInAnyOrder(KeyValue.of("controller", "foo"), KeyValue.of("result", "success"));
        assertThat(stopped.get(1).getLowCardinalityKeyValues()).contains(KeyValue.of("result", "error"));
        assertThat(stopped.get(1).getError()).hasMessage("no");
        assertThat(stopped.get(1).<Taken>getRequired(Taken.class).priority()).isZero();
        eventually(() -> assertThat(logs.list).hasSize(1));
        assertThat(logs.list.get(0).getKeyValuePairs().stream().map(Object::toString))
                .contains("traceId=\"4bf9\"");
        assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()))
                .allMatch(name -> name.startsWith("workqueue."));
    }

    @Test
    void hasItsMetersFromTheStartAndDescribesThem() {
        controller(ControllerOptions.DEFAULTS.withWorkers(3));
        for (String result : List.of("success", "error", "requeue", "requeue_after")) {
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"" + result + "\"} 0.0");
        }
        for (String name : List.of(
                "reconcile_errors_total",
                "reconcile_panics_total",
                "terminal_reconcile_errors_total",
                "reconcile_timeouts_total",
                "active_workers")) {
            assertMetric("controller_runtime_" + name + "{controller=\"foo\"} 0.0");
        }
        assertMetric("controller_runtime_max_concurrent_reconciles{controller=\"foo\"} 3.0");
        assertMetric("controller_runtime_reconcile_time_seconds_bucket{controller=\"foo\",le=\"60.0\"} 0");
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
    }
}

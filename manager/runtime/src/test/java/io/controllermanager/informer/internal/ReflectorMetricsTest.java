package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an informer's status and a registry say of its lists and watches. */
class ReflectorMetricsTest {

    private final ScriptedServer server = new ScriptedServer();
    private final HostInformer<V1ConfigMap> informer = server.informers().informer(ResourceTypes.CONFIG_MAP);

    @AfterEach
    void close() {
        server.close();
    }

    private double count(String meter, String... tags) {
        return server.registry().get(meter).tags(tags).functionCounter().count();
    }

    private ReflectorStatus wire() {
        return informer.status().reflectors().get(0);
    }

    @Test
    void countsListsWatchesAndEvents() {
        server.watchLists(
                ScriptedServer.lines(
                        ScriptedServer.added("a", 5),
                        ScriptedServer.added("b", 6),
                        ScriptedServer.end(7),
                        ScriptedServer.event("MODIFIED", ScriptedServer.object("a", 8)),
                        ScriptedServer.event("DELETED", ScriptedServer.object("b", 9)),
                        ScriptedServer.event(
                                "ADDED", "{\"metadata\":{\"name\":\"odd\",\"resourceVersion\":\"10\"},\"data\":7}")),
                server.open(ScriptedServer.added("a", 8), ScriptedServer.end(20)));
        server.watches(ScriptedServer.lines(ScriptedServer.gone()));

        informer.run();

        await().until(() -> informer.lastSyncResourceVersion().equals("20"));
        // The figures of a list come after its version.
        await().untilAsserted(() -> assertThat(server.registry()
                        .get("reflector.items.per.list")
                        .summary()
                        .totalAmount())
                .isEqualTo(3));
        assertThat(count("reflector.lists", "name", "configmaps")).isEqualTo(2);
        assertThat(count("reflector.watches", "name", "configmaps")).isEqualTo(3);
        assertThat(count("reflector.watch.ends", "reason", "regular")).isEqualTo(1);
        assertThat(count("reflector.watch.ends", "reason", "expired")).isEqualTo(1);
        assertThat(count("reflector.events", "type", "ADDED")).isEqualTo(3);
        assertThat(count("reflector.events", "type", "MODIFIED")).isEqualTo(1);
        assertThat(count("reflector.events", "type", "DELETED")).isEqualTo(1);
        assertThat(count("reflector.events", "type", "BOOKMARK")).isEqualTo(2);
        assertThat(count("reflector.decode.errors")).isEqualTo(1);
        assertThat(server.registry().get("reflector.watch.duration").timer().count())
                .isEqualTo(2);
        assertThat(server.registry()
                        .get("reflector.last.resource.version")
                        .gauge()
                        .value())
                .isEqualTo(20);
        assertThat(server.registry().get("informer.objects").gauge().value()).isEqualTo(1);
        assertThat(server.registry().get("informer.objects.size.bytes").gauge().value())
                .isBetween(50.0, 500.0);
        assertThat(wire().watchEnds()).containsEntry("regular", 1L).containsEntry("expired", 1L);
        assertThat(wire().events()).containsEntry("ADDED", 3L);
        assertThat(wire().undecodable()).isEqualTo(1);
        assertThat(wire().lastListItems()).isEqualTo(1);
        assertThat(wire().connected()).isTrue();
        assertThat(wire().disconnectedFor()).isNull();
    }

    @Test
    void bearsClientGosNames() {
        server.watchLists(server.open(ScriptedServer.added("a", 5), ScriptedServer.end(7)));
        informer.run();
        await().until(informer::hasSynced);

        // Synced is said before the last of the figures are there.
        await().untilAsserted(
                        () -> assertThat(server.registry().scrape().lines().filter(line -> !line.startsWith("#")))
                                .contains(
                                        "reflector_lists_total{name=\"configmaps\"} 1.0",
                                        "reflector_list_duration_seconds_count{name=\"configmaps\"} 1",
                                        "reflector_items_per_list_sum{name=\"configmaps\"} 1.0",
                                        "reflector_watches_total{name=\"configmaps\"} 1.0",
                                        "reflector_short_watches_total{name=\"configmaps\"} 0.0",
                                        "reflector_watch_duration_seconds_count{name=\"configmaps\"} 0",
                                        "reflector_items_per_watch_count{name=\"configmaps\"} 0",
                                        "reflector_last_resource_version{name=\"configmaps\"} 7.0",
                                        "reflector_events_total{name=\"configmaps\",type=\"ADDED\"} 1.0",
                                        "reflector_decode_errors_total{name=\"configmaps\"} 0.0",
                                        "reflector_connected{name=\"configmaps\"} 1.0",
                                        "informer_objects{name=\"configmaps\"} 1.0",
                                        "informer_synced{name=\"configmaps\"} 1.0",
                                        "informer_handler_backlog{name=\"configmaps\"} 0.0",
                                        "informer_handler_lag_seconds{name=\"configmaps\"} 0.0")
                                .anyMatch(line -> line.startsWith("reflector_last_message_age_seconds{"))
                                .anyMatch(line -> line.startsWith("reflector_resource_version_age_seconds{"))
                                .anyMatch(line -> line.startsWith("informer_objects_size_bytes{")));
    }

    /** The status names the missing permission by the time that handlers hear of the refusal. */
    @Test
    void whoeverSeesARefusalFindsWhatIsMissing() {
        server.watchLists(ScriptedServer.status(403, "no"));
        server.lists(ScriptedServer.status(403, "no"));
        try (InformerFactory timed = server.informers(new VirtualTime())) {
            HostInformer<V1ConfigMap> refused = timed.informer(ResourceTypes.CONFIG_MAP);
            List<ReflectorStatus> seen = new CopyOnWriteArrayList<>();
            ((ListWatchInformer<V1ConfigMap>) refused)
                    .configure(
                            Duration.ZERO,
                            (type, error) ->
                                    seen.add(refused.status().reflectors().get(0)));

            refused.run();

            await().until(() -> !seen.isEmpty());
            assertThat(seen.get(0).lastError()).contains("no");
            assertThat(seen.get(0).missingPermission()).isEqualTo("list configmaps in all namespaces");
        }
    }

    @Test
    void namesTheMissingPermissionUntilItIsGranted() {
        VirtualTime time = new VirtualTime();
        server.watchLists(
                ScriptedServer.status(403, "no"), server.open(ScriptedServer.added("a", 5), ScriptedServer.end(7)));
        server.lists(ScriptedServer.status(403, "no"));
        try (InformerFactory timed = server.informers(time)) {
            HostInformer<V1ConfigMap> refused = timed.informer(ResourceTypes.CONFIG_MAP);
            refused.run();

            await().untilAsserted(() -> {
                assertThat(refused.status().reflectors().get(0).missingPermission())
                        .isEqualTo("list configmaps in all namespaces");
                assertThat(server.registry()
                                .find("reflector.missing.permission")
                                .tags("verb", "list", "resource", "configmaps", "namespace", "")
                                .gauges())
                        .singleElement()
                        .extracting(Gauge::value)
                        .isEqualTo(1.0);
            });
            await().until(() -> time.untilNextTask() != null);
            time.advance(Duration.ofSeconds(2));

            await().until(refused::hasSynced);
            await().untilAsserted(() -> {
                assertThat(refused.status().reflectors().get(0).missingPermission())
                        .isNull();
                assertThat(server.registry()
                                .find("reflector.missing.permission")
                                .gauge())
                        .isNull();
            });
        }
    }

    @Test
    void tellsHowLongNoWatchHasBeenOpen() {
        VirtualTime time = new VirtualTime();
        server.watchLists(ScriptedServer.turnedAway(600));
        try (InformerFactory timed = server.informers(time)) {
            HostInformer<V1ConfigMap> waiting = timed.informer(ResourceTypes.CONFIG_MAP);
            waiting.run();
            await().until(() -> Duration.ofMinutes(10).equals(time.untilNextTask()));

            time.advance(Duration.ofMinutes(3));

            assertThat(waiting.status().reflectors().get(0).disconnectedFor()).isEqualTo(Duration.ofMinutes(3));
        }
    }

    @Test
    void leavesNoMeterBehindAndTellsInformersOfOneTypeApart() {
        Set<Meter.Id> before = meters();
        informer.run();
        VirtualTime time = new VirtualTime();
        try (InformerFactory second = server.informers(time)) {
            second.informer(ResourceTypes.CONFIG_MAP).run();
            assertThat(count("reflector.watches", "name", "configmaps-2")).isNotNegative();
            assertThat(server.registry()
                            .get("informer.objects")
                            .tag("name", "configmaps-2")
                            .gauge()
                            .value())
                    .isZero();
        }

        server.informers().close();

        assertThat(meters()).isEqualTo(before);
    }

    @Test
    void aStoppedInformerLeavesNoMeterBehindWhileOthersGoOn() {
        HostInformer<V1Secret> other = server.informers().informer(ResourceTypes.SECRET);
        other.run();
        Set<Meter.Id> before = meters();
        server.watchLists(server.open(ScriptedServer.end(7)));
        informer.subscribe("test", new EventLog<>(), Duration.ofMinutes(1));
        informer.run();
        await().until(() -> meters().size() > before.size());

        informer.stop();

        assertThat(meters()).isEqualTo(before);
        other.stop();
        assertThat(meters()).noneMatch(id -> id.getName().startsWith("informer"));
    }

    @Test
    void countsWhatHandlersThrowAndWhatWaitsForThem() {
        Semaphore permits = new Semaphore(0);
        server.watchLists(
                server.open(ScriptedServer.added("a", 5), ScriptedServer.added("b", 6), ScriptedServer.end(7)));
        informer.subscribe(
                "failing",
                event -> {
                    permits.acquireUninterruptibly();
                    throw new IllegalStateException("a handler's own mistake");
                },
                Duration.ZERO);
        informer.run();

        // One is with the handler; another waits, and with it the word that these were all.
        await().until(() -> gauge("informer.handler.backlog") == 2);
        assertThat(gauge("informer.handler.lag.seconds")).isPositive();
        permits.release(2);

        await().until(() -> gauge("informer.handler.backlog") == 0);
        await().until(() -> count("informer.handler.failures") == 2);
        await().until(() -> gauge("informer.handler.lag.seconds") == 0);
        assertThat(informer.status().handlers()).allMatch(handler -> handler.failures() == 2);
    }

    private double gauge(String meter) {
        return server.registry().get(meter).gauge().value();
    }

    private Set<Meter.Id> meters() {
        return server.registry().getMeters().stream()
                .map(Meter::getId)
                .filter(id -> !id.getName().startsWith("rest"))
                .collect(Collectors.toSet());
    }
}

package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The host's order of things, from start to stop and again. */
class ControllerManagerTest extends ControllerManagerFixture {

    @Test
    void aControllerGoesThroughItsStatesInOrder() {
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(manager.readiness(false).healthy()).isFalse();
        lock.failWith("timeout");
        manager.start();

        awaitState(manager, "maps", ControllerState.WAITING_FOR_TYPE);
        assertThat(log).isEmpty();
        cluster.serve(CONFIG_MAP);
        awaitState(manager, "maps", ControllerState.WAITING_FOR_CACHES);
        assertThat(manager.readiness(false).reasons()).contains("controller maps: caches are not synced");
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        cluster.fake(CONFIG_MAP).synced(true);
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        // A standby has full caches and an empty queue.
        assertThat(manager.controllers().get(0).queueDepth()).isZero();
        assertThat(log).containsExactly("informer configmaps");
        lock.failWith(null);
        awaitState(manager, "maps", ControllerState.RUNNING);

        awaitLog("informer configmaps", "maps ns/a");
        assertThat(manager.readiness(false)).isEqualTo(new HealthReport(List.of(), List.of()));
        assertThat(manager.liveness()).isEqualTo(new HealthReport(List.of(), List.of()));
        assertThat(manager.leadership().leading()).isTrue();
        assertThat(manager.isRunning()).isTrue();
    }

    @Test
    void metersTellTheStateOfEachController() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        serveSynced(CONFIG_MAP);
        ControllerManager manager = build(
                builder(elector()).meterRegistry(meters),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        assertThat(meters.find("controller.manager.controller.state").gauges()).isEmpty();
        manager.start();

        awaitPassing(
                () -> assertThat(states(meters)).containsExactlyInAnyOrder("maps running", "secrets waiting_for_type"));
        manager.pause("maps");
        assertThat(states(meters)).containsExactlyInAnyOrder("maps paused", "secrets waiting_for_type");
        manager.stop();
        assertThat(meters.find("controller.manager.controller.state").gauges()).isEmpty();
        manager.start();
        awaitPassing(
                () -> assertThat(states(meters)).containsExactlyInAnyOrder("maps running", "secrets waiting_for_type"));
    }

    private static List<String> states(SimpleMeterRegistry meters) {
        return meters.get("controller.manager.controller.state").gauges().stream()
                .filter(gauge -> gauge.value() == 1)
                .map(gauge ->
                        gauge.getId().getTag("controller") + " " + gauge.getId().getTag("state"))
                .toList();
    }

    @Test
    void aDisabledControllerIsListedButTouchesNothing() {
        ControllerRegistration off = registration("maps", CONFIG_MAP, this::record);
        ControllerManager manager =
                manager(elector(), new ControllerRegistration(off.descriptor(), off.options(), false));
        manager.start();
        await().until(() -> manager.leadership().leading());

        assertThat(state(manager, "maps")).isEqualTo(ControllerState.DISABLED);
        assertThat(manager.readiness(false).healthy()).isTrue();
        assertThat(cluster.hasInformer(CONFIG_MAP)).isFalse();
    }

    @Test
    void eventsFromOutsideReachTheControllerWithoutAType() {
        EventChannel<String> channel = new EventChannel<>();
        ControllerManager manager = manager(
                elector(),
                ControllerRegistration.of(ControllerDescriptor.named("devices")
                        .source(channel, device -> Set.of(new Request("ns", device)))
                        .reconciler(reconciler("devices", this::record))
                        .build()));
        manager.start();
        awaitState(manager, "devices", ControllerState.RUNNING);
        channel.send("one");
        awaitLog("devices ns/one");

        manager.stopController("devices");
        channel.send("two");
        manager.startController("devices");
        awaitState(manager, "devices", ControllerState.RUNNING);
        awaitLog("devices ns/one", "devices ns/two");
    }

    @Test
    void withoutElectionNoEventFromOutsideIsLostHoweverManyComeBeforeTheCachesAreFilled() {
        Set<String> devices = ConcurrentHashMap.newKeySet();
        EventChannel<String> channel = new EventChannel<>(0);
        cluster.serve(CONFIG_MAP);
        int many = 12_000;
        ControllerManager manager = manager(
                null,
                ControllerRegistration.of(ControllerDescriptor.named("devices")
                        .forType(CONFIG_MAP)
                        .source(channel, device -> Set.of(new Request("ns", device)))
                        .reconciler(reconciler("devices", (name, request) -> devices.add(request.getName())))
                        .build()));
        manager.start();
        await().until(() -> channel.send("device-0"));
        for (int i = 1; i < many; i++) {
            channel.send("device-" + i);
        }
        assertThat(devices).isEmpty();
        cluster.fake(CONFIG_MAP).synced(true);

        await().untilAsserted(() -> assertThat(devices).hasSize(many));
    }

    @Test
    void aTypeThatIsOwnedAndWatchedIsListedOnce() {
        ControllerDescriptor descriptor = ControllerDescriptor.named("maps")
                .forType(CONFIG_MAP)
                .owns(SECRET)
                .watches(SECRET, object -> Set.of())
                .watches(CONFIG_MAP, object -> Set.of())
                .reconciler(reconciler("maps", this::record))
                .build();
        ControllerManager manager = manager(elector(), ControllerRegistration.of(descriptor));

        assertThat(manager.controllers().get(0).watches()).containsExactly("configmaps/v1", "secrets/v1");
    }

    @Test
    void afterAStopItCanBeStartedAgain() {
        serveSynced(CONFIG_MAP);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        for (int i = 0; i < 3; i++) {
            log.clear();
            manager.start();
            assertThatIllegalStateException().isThrownBy(manager::start);
            awaitState(manager, "maps", ControllerState.RUNNING);
            await().until(() -> log.contains("maps ns/a"));
            manager.stop();
        }

        assertThat(manager.isRunning()).isFalse();
    }

    @Test
    void withoutElectorItAlwaysLeads() {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = manager(null, registration("maps", CONFIG_MAP, this::record));
        manager.start();

        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(manager.leadership().enabled()).isFalse();
        assertThat(manager.leadership().leading()).isTrue();
    }

    @Test
    void nonsenseIsRefused() {
        ControllerRegistration one = registration("maps", CONFIG_MAP, this::record);
        assertThatIllegalStateException()
                .isThrownBy(() -> manager(null, one, one))
                .withMessage("two controllers have the name \"maps\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        builder(null).shutdownTimeout(Duration.ofSeconds(-1)).build())
                .withMessageContaining("shutdownTimeout");
    }
}

package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalSystem;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What objects have outside Kubernetes, on an API server. */
class ExternalTest {

    private static final Duration POLL = Duration.ofMinutes(2);
    private static final String RECORD = "external.controller-manager/gadget";

    private final VirtualTime time = new VirtualTime();
    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("outside");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final Rows system = new Rows();
    private final External<String, String> rows =
            External.byName("row", String.class, system).pollEvery(POLL);

    /** Notes what it is asked to change, and what the API server knew then. */
    private final class Rows implements ExternalSystem.ByName<String, String> {

        final Map<String, String> rows = new ConcurrentHashMap<>();
        final List<String> records = new CopyOnWriteArrayList<>();
        volatile boolean down;

        private void answer() throws IOException {
            if (down) {
                throw new IOException("refused");
            }
        }

        @Override
        public @Nullable String read(String name) throws IOException {
            answer();
            return rows.get(name);
        }

        @Override
        public void create(String name, String wanted) throws Exception {
            answer();
            records.add(record());
            rows.put(name, wanted);
        }

        @Override
        public void update(String name, String present, String wanted) throws IOException {
            answer();
            rows.put(name, wanted);
        }

        @Override
        public void delete(String name) throws IOException {
            answer();
            rows.remove(name);
        }
    }

    /** A row, and a ConfigMap once it is there. Without a cleaner. */
    private class Plain implements ObjectReconciler<Gadget> {

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.CONFIG_MAP).teardown().external(rows);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            Readiness row = r.external(rows).ensure(gadget.name(), gadget.spec().size());
            if (row.isReady()) {
                r.apply(new V1ConfigMap()
                        .data(Map.of("row", String.valueOf(r.external(rows).value(gadget.name())))));
            }
            return Outcome.of(row);
        }
    }

    private final class Ordered extends Plain implements Cleaner<Gadget> {

        @Override
        public Outcome cleanup(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            Readiness gone = r.external(rows).remove();
            return gone.isReady() ? Outcome.done() : Outcome.of(gone);
        }
    }

    @BeforeEach
    void create() throws ApiException {
        Gadget.install(server.client());
        gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RunningHost run(ObjectReconciler<Gadget> reconciler) {
        ControllerDescriptor controller = TypedController.descriptor("gadget", Gadget.TYPE, reconciler);
        RunningHost host = new RunningHost(server.client(), namespace, controller, time);
        await().until(() -> {
            time.advance(Duration.ofMillis(10)); // The start waits for the caches by the timer.
            return reason("g").equals("RowReady");
        });
        // The record is a change of the object's own.
        await().until(() -> host.status().queueDepth() + host.status().activeWorkers() == 0
                && host.status().delayed() == 1);
        return host;
    }

    private String reason(String name) throws ApiException {
        Gadget gadget = gadgets.get(namespace, name);
        V1Condition ready = gadget == null ? null : Conditions.of(gadget, "Ready");
        return ready == null ? "" : ready.getReason();
    }

    private String record() throws ApiException {
        V1ObjectMeta metadata =
                Objects.requireNonNull(gadgets.get(namespace, "g")).getMetadata();
        return metadata.getFinalizers() + " "
                + Objects.requireNonNull(metadata.getAnnotations()).get(RECORD);
    }

    @Test
    void isRecordedBeforeItIsMadeAndLookedAtAgainInTime() throws ApiException {
        try (RunningHost host = run(new Plain())) {
            assertThat(system.rows).containsExactly(Map.entry("g", "L"));
            assertThat(system.records)
                    .containsExactly("[example.com/gadget] {\"of\":\"example.com/Gadget/" + namespace
                            + "/g\",\"made\":{\"row\":[{\"key\":\"g\"}]}}");
            assertThat(configMaps.get(namespace, "g").getData()).containsEntry("row", "L");
            host.writes();

            system.rows.put("g", "changed");
            time.advance(POLL);
            await().until(() -> "L".equals(system.rows.get("g")));
            await().until(() -> host.status().delayed() == 1);
            assertThat(host.writes()).isEmpty();
        }
    }

    @Test
    void whatTheCleanerLeavesIsRemovedBeforeTheChildren() throws ApiException {
        try (RunningHost host = run(new Plain())) {
            system.down = true;
            gadgets.delete(namespace, "g");
            await().until(() -> reason("g").equals("RowUnreachable"));
            assertThat(configMaps.get(namespace, "g")).isNotNull();

            system.down = false;
            await().until(() -> {
                time.advance(Duration.ofSeconds(1));
                return gadgets.get(namespace, "g") == null;
            });
            assertThat(system.rows).isEmpty();
            assertThat(configMaps.get(namespace, "g")).isNull();
            assertThat(host.status().delayed()).isZero();
        }
    }

    @Test
    void theFinalizerStaysWhileTheSystemIsDownAndOthersGoOn() throws ApiException {
        try (RunningHost host = run(new Ordered())) {
            system.down = true;
            gadgets.delete(namespace, "g");
            for (int second = 0; second < 40; second++) {
                time.advance(Duration.ofSeconds(1));
                await().until(() -> host.status().queueDepth() + host.status().activeWorkers() == 0);
            }
            await().until(() -> reason("g").equals("RowUnreachable"));
            V1Condition ready = Objects.requireNonNull(Conditions.of(gadgets.get(namespace, "g"), "Ready"));
            assertThat(ready.getMessage())
                    .startsWith("nothing answers for row since 20")
                    .endsWith("IOException: refused");
            assertThat(record()).startsWith("[example.com/gadget]");

            gadgets.create(Gadget.named(namespace, "other", new Gadget.Spec("S", List.of(), null)));
            await().until(() -> reason("other").equals("RowUnreachable"));

            system.down = false;
            await().until(() -> {
                time.advance(Duration.ofSeconds(1));
                return gadgets.get(namespace, "g") == null && reason("other").equals("RowReady");
            });
            assertThat(system.rows).containsExactly(Map.entry("other", "S"));
        }
    }

    /** The reason is the same, and so is the condition. */
    @Test
    void anOutageThatLastsIsToldAgainAsAWarning() throws ApiException {
        try (RunningHost host = run(new Plain())) {
            system.down = true;
            gadgets.patch(namespace, "g", new Patch.Merge("{\"spec\":{\"size\":\"S\"}}"));
            await().until(() -> reason("g").equals("RowUnreachable"));
            for (int second = 0; second < 90; second++) {
                time.advance(Duration.ofSeconds(1));
                await().until(() -> host.status().queueDepth() + host.status().activeWorkers() == 0);
            }
            await().untilAsserted(
                            () -> assertThat(new ResourceClient<>(server.client(), ResourceTypes.EVENT).list(namespace))
                                    .filteredOn(event -> "RowUnreachable".equals(event.getReason()))
                                    .extracting(EventsV1Event::getType)
                                    .containsExactlyInAnyOrder("Normal", "Warning"));
        }
    }

    /** A process that has not seen yet what another one has recorded must not let the object go. */
    @Test
    void aCacheThatIsBehindLetsNoObjectGo() throws ApiException {
        Gadget seen = gadgets.get(namespace, "g");
        try (RunningHost host = run(new Plain())) {
            assertThat(host.status().delayed()).isEqualTo(1);
        }
        withOwner(
                seen,
                behind -> assertThat(catchThrowableOfType(ApiException.class, () -> behind.confirm(RECORD))
                                .getCode())
                        .isEqualTo(409));
    }

    @Test
    void whatHasBeenDoneIsNotedThoughOthersWriteMeanwhile() throws ApiException {
        Gadget seen = gadgets.get(namespace, "g");
        gadgets.patch(namespace, "g", new Patch.Merge("{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"));
        withOwner(seen, owner -> {
            assertThat(catchThrowableOfType(ApiException.class, () -> owner.annotate("example.com/a", "soon"))
                            .getCode())
                    .isEqualTo(409);
            owner.note("example.com/a", "done");
            assertThat(owner.annotation("example.com/a")).isEqualTo("done");
        });

        Gadget noted = gadgets.get(namespace, "g");
        gadgets.patch(namespace, "g", new Patch.Merge("{\"spec\":{\"size\":\"S\"}}"));
        withOwner(
                noted,
                owner -> assertThat(catchThrowableOfType(ApiException.class, () -> owner.note("example.com/a", "again"))
                                .getCode())
                        .as("the reconciler has not seen this spec")
                        .isEqualTo(409));
        assertThat(Objects.requireNonNull(gadgets.get(namespace, "g"))
                        .getMetadata()
                        .getAnnotations())
                .containsEntry("example.com/a", "again");
    }

    private interface Use {
        void of(LiveOwner<Gadget> owner) throws ApiException;
    }

    private void withOwner(Gadget seen, Use use) throws ApiException {
        Probe probe = new Probe();
        try (RunningHost host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("probe", Gadget.TYPE, probe), time)) {
            await().until(() -> {
                time.advance(Duration.ofMillis(10));
                return host.status().reconciles() > 0;
            });
            use.of(Objects.requireNonNull(probe.owner(seen)));
        }
    }

    /** Gives the object of a reconcile in an earlier state. */
    private static final class Probe implements ObjectReconciler<Gadget> {

        private volatile @Nullable LiveReconciliation<Gadget> live;

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.withoutStatus();
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) {
            live = (LiveReconciliation<Gadget>) r;
            return Outcome.done();
        }

        @Nullable
        LiveOwner<Gadget> owner(Gadget earlier) {
            LiveReconciliation<Gadget> current = live;
            if (current == null) {
                return null;
            }
            current.goOnWith(earlier);
            return new LiveOwner<>(
                    current, new ResourceClient<>(current.context().apiClient(), Gadget.TYPE));
        }
    }

    @Test
    void twoOfOneNameAreRefused() {
        ObjectReconciler<Gadget> twice = new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.external(rows).external(rows.pollEvery(Duration.ofSeconds(1)));
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) {
                return Outcome.done();
            }
        };
        try (RunningHost host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, twice), time)) {
            await().until(() -> String.valueOf(host.status().detail()).contains("has two externals named \"row\""));
        }
    }
}

package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.TcpProxy;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@RealControlPlane(dedicated = true)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the servers of InformerOutageTest")
class InformerOutageTest {

    private final ControlPlane plane;
    private final String namespace;
    private final TcpProxy proxy;
    private final Connected api;
    private final InformerFactory factory;
    private final HostInformer<V1ConfigMap> informer;
    private final EventLog<V1ConfigMap> log = new EventLog<>();

    InformerOutageTest(ControlPlane plane) throws Exception {
        this.plane = plane;
        this.namespace = plane.createNamespace("outage");
        this.proxy = new TcpProxy(plane.apiServerUrl());
        this.api = new Connected(plane, proxy.url());
        this.factory = new InformerFactory(
                api.connection(),
                Clock.system(),
                api.timer(),
                InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
        this.informer = factory.informer(ResourceTypes.CONFIG_MAP);
    }

    @BeforeEach
    void start() throws Exception {
        api.configMaps().create(configMap(namespace, "kept", "1"));
        api.configMaps().create(configMap(namespace, "changed", "1"));
        api.configMaps().create(configMap(namespace, "gone", "1"));
        Subscription subscription = informer.subscribe("test", log, Duration.ZERO);
        informer.run();
        await().until(subscription::hasSynced);
        // What happens to the connection from here on happens to a watch.
        await().until(() -> informer.status().connected());
    }

    @AfterEach
    void close() throws Exception {
        factory.close();
        api.close();
        proxy.close();
    }

    @Test
    void goesOnWithoutAListAfterTheApiServerWasAway() throws Exception {
        AtomicInteger recoveries = new AtomicInteger();
        api.connection().monitor().onRecovery(recoveries::incrementAndGet);

        plane.killApiServer();
        await().until(() -> !api.connection().monitor().reachable());
        await().until(() -> !informer.status().connected());
        assertThat(informer.getIndexer().list()).hasSize(3);
        plane.startApiServer();

        await().until(() -> api.connection().monitor().reachable());
        await().until(() -> informer.status().connected());
        await().until(() -> recoveries.get() > 0);
        createPastTheProxy("after");
        await().untilAsserted(() -> assertThat(log.entries()).contains("created after"));
        // A server that has written something itself since may say that it does not reach back so far.
        assertThat(informer.status().lists()).isEqualTo(1 + WatchEnds.count(informer.status(), "expired"));
        assertThat(log.entries()).hasSize(4);
    }

    @Test
    void listsAgainAfterACompactionAndTellsOnlyDifferences() throws Exception {
        proxy.cut();
        try (Connected other = new Connected(plane)) {
            other.configMaps().update(configMap(namespace, "changed", "2"));
            other.configMaps().delete(namespace, "gone");
        }
        plane.stopApiServer();
        plane.compactEtcd();
        proxy.restore();
        plane.startApiServer();

        await().untilAsserted(
                        () -> assertThat(log.entries().subList(3, log.entries().size()))
                                .containsExactlyInAnyOrder("updated changed", "vanished gone"));
        assertThat(informer.status().lists()).isEqualTo(2);
    }

    @Test
    void goesOnAfterAConnectionWasCut() throws Exception {
        proxy.dropConnections();

        await().until(() -> informer.status().watches() > 1);
        createPastTheProxy("after");
        await().untilAsserted(() -> assertThat(log.entries()).contains("created after"));
        assertThat(informer.status().lists()).isEqualTo(1);
    }

    /**
     * Ours, and one by a caller's own requests, of which nothing is known but that they go over our client. By a clock that
     * stands still, so that no watch is ended for its silence.
     */
    @Test
    void findsAHalfOpenConnectionByItsPings() throws Exception {
        try (InformerFactory patient = new InformerFactory(
                api.connection(),
                new VirtualTime(),
                api.timer(),
                InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)))) {
            HostInformer<V1ConfigMap> ours = patient.informer(ResourceTypes.CONFIG_MAP);
            HostInformer<V1ConfigMap> callers =
                    (HostInformer<V1ConfigMap>) new ClientJavaInformerFactory(patient, api.connection())
                            .sharedIndexInformerFor(callersOwn(), V1ConfigMap.class, 0);
            ours.run();
            callers.run();
            await().until(() -> ours.status().connected() && callers.status().connected());

            proxy.freeze();
            createPastTheProxy("unseen");
            await().until(() -> !ours.status().connected() && !callers.status().connected());
            proxy.restore();

            await().untilAsserted(() -> {
                assertThat(ours.getIndexer().getByKey(namespace + "/unseen")).isNotNull();
                assertThat(callers.getIndexer().getByKey(namespace + "/unseen")).isNotNull();
            });
            assertThat(ours.status().lists()).isEqualTo(1);
            assertThat(callers.status().lists()).isEqualTo(1);
        }
    }

    /** Over another client: one whose connections are renewed may lose a write. */
    private void createPastTheProxy(String name) throws Exception {
        try (Connected other = new Connected(plane)) {
            other.configMaps().create(configMap(namespace, name, "1"));
        }
    }

    private ListerWatcher<V1ConfigMap, V1ConfigMapList> callersOwn() {
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> generic = new GenericKubernetesApi<>(
                V1ConfigMap.class,
                V1ConfigMapList.class,
                "",
                "v1",
                "configmaps",
                api.connection().apiClient());
        return new ListerWatcher<>() {
            @Override
            public V1ConfigMapList list(CallGeneratorParams params) throws ApiException {
                return generic.list(namespace).throwsApiException().getObject();
            }

            @Override
            public Watchable<V1ConfigMap> watch(CallGeneratorParams params) throws ApiException {
                ListOptions options = new ListOptions();
                options.setResourceVersion(params.resourceVersion);
                options.setTimeoutSeconds(params.timeoutSeconds);
                return generic.watch(namespace, options);
            }
        };
    }
}

package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.net.SocketTimeoutException;
import java.net.URI;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RealControlPlane(dedicated = true)
class ApiServerOutageTest {

    private final ControlPlane plane;
    private final CoreV1Api api;

    ApiServerOutageTest(ControlPlane plane) throws Exception {
        this.plane = plane;
        this.api = new CoreV1Api(Clients.client(plane.kubeconfig()));
    }

    @BeforeEach
    void startApiServer() {
        plane.startApiServer();
    }

    @Test
    void keepsItsDataAndPortThroughAKill(FreshNamespace namespace) throws Exception {
        create(namespace, "kept");
        URI url = plane.apiServerUrl();

        plane.killApiServer();

        assertThat(plane.processIds()).hasSize(1);
        assertThatExceptionOfType(ApiException.class).isThrownBy(() -> read(namespace, "kept"));

        plane.startApiServer();

        assertThat(plane.apiServerUrl()).isEqualTo(url);
        assertThat(read(namespace, "kept").getMetadata().getName()).isEqualTo("kept");
    }

    @Test
    void endsAWatchFromBeforeACompaction(FreshNamespace namespace) throws Exception {
        String before = create(namespace, "first").getMetadata().getResourceVersion();
        create(namespace, "second");

        plane.stopApiServer();
        long compacted = plane.compactEtcd();
        plane.startApiServer();

        assertThat(compacted).isGreaterThan(Long.parseLong(before));
        String events = api.listNamespacedConfigMap(namespace.name())
                .resourceVersion(before)
                .watch(true)
                .timeoutSeconds(5)
                .buildCall(null)
                .execute()
                .body()
                .string();
        assertThat(events).contains("\"type\":\"ERROR\"", "\"code\":410");
    }

    @Test
    void answersNobodyWhilePaused(FreshNamespace namespace) throws Exception {
        create(namespace, "patient");
        ApiClient hasty = Clients.client(plane.kubeconfig()).setReadTimeout(300);

        plane.pauseApiServer();

        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> new CoreV1Api(hasty)
                        .readNamespacedConfigMap("patient", namespace.name())
                        .execute())
                .withCauseInstanceOf(SocketTimeoutException.class);

        plane.resumeApiServer();

        assertThat(read(namespace, "patient").getMetadata().getName()).isEqualTo("patient");
    }

    @Test
    void storesNothingWithoutEtcd(FreshNamespace namespace) throws Exception {
        create(namespace, "kept");
        CoreV1Api hasty = new CoreV1Api(Clients.client(plane.kubeconfig()).setReadTimeout(500));
        V1ConfigMap other = new V1ConfigMap().metadata(new V1ObjectMeta().name("other"));

        plane.killEtcd();
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() ->
                        hasty.createNamespacedConfigMap(namespace.name(), other).execute());
        plane.startEtcd();
        plane.pauseEtcd();
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() ->
                        hasty.createNamespacedConfigMap(namespace.name(), other).execute());
        plane.resumeEtcd();

        plane.awaitReady();
        assertThat(read(namespace, "kept").getMetadata().getName()).isEqualTo("kept");
    }

    private V1ConfigMap create(FreshNamespace namespace, String name) throws ApiException {
        V1ConfigMap object = new V1ConfigMap().metadata(new V1ObjectMeta().name(name));
        return api.createNamespacedConfigMap(namespace.name(), object).execute();
    }

    private V1ConfigMap read(FreshNamespace namespace, String name) throws ApiException {
        return api.readNamespacedConfigMap(name, namespace.name()).execute();
    }
}

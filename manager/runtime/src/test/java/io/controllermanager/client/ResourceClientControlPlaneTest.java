package io.controllermanager.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaStatus;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@RealControlPlane
class ResourceClientControlPlaneTest {

    private final Connected api;
    private final String namespace;

    ResourceClientControlPlaneTest(ControlPlane plane) {
        this.api = new Connected(plane);
        this.namespace = plane.createNamespace("client");
    }

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void createsReadsReplacesAndDeletes() throws ApiException {
        ResourceClient<V1ConfigMap> client = api.configMaps();

        V1ConfigMap created = client.create(Connected.configMap(namespace, "a", "1"));
        assertThat(created.getMetadata().getUid()).isNotEmpty();
        V1ConfigMap updated = client.update(client.copy(created).data(Map.of("value", "2")));
        assertThat(updated.getData()).containsEntry("value", "2");
        assertThat(client.get(namespace, "a")).isEqualTo(updated);
        assertThat(client.list(namespace)).hasSize(1);
        assertThat(client.delete(namespace, "a")).isTrue();
        assertThat(client.delete(namespace, "a")).isFalse();
        assertThat(client.get(namespace, "a")).isNull();
    }

    @Test
    void saysInOneLineWhatTheApiServerRefused() throws ApiException {
        ResourceClient<V1ConfigMap> client = api.configMaps();
        V1ConfigMap created = client.create(Connected.configMap(namespace, "a", "1"));
        client.update(client.copy(created).data(Map.of("value", "2")));

        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> client.create(Connected.configMap(namespace, "a", "1")))
                .withMessage(
                        "create configmaps %s/a: HTTP 409 AlreadyExists: configmaps \"a\" already exists", namespace)
                .satisfies(e -> assertThat(e.getCode()).isEqualTo(409));
        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> client.update(created))
                .satisfies(e -> assertThat(e.reason()).isEqualTo("Conflict"));
        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> client.delete(namespace, "a", "some-other-uid"))
                .satisfies(e -> assertThat(e.getCode()).isEqualTo(409));
    }

    @Test
    void writesWholeSecondsWhereTheApiServerWantsAFraction() throws ApiException {
        OffsetDateTime whole = OffsetDateTime.parse("2026-01-02T03:04:05Z");

        V1Lease lease = api.client(ResourceTypes.LEASE)
                .create(new V1Lease()
                        .metadata(new V1ObjectMeta().namespace(namespace).name("whole"))
                        .spec(new V1LeaseSpec().renewTime(whole).acquireTime(whole)));
        assertThat(lease.getSpec().getRenewTime()).isEqualTo(whole);

        EventsV1Event event = api.client(ResourceTypes.EVENT)
                .create(new EventsV1Event()
                        .metadata(new V1ObjectMeta().namespace(namespace).name("whole"))
                        .eventTime(whole)
                        .series(new EventsV1EventSeries().count(2).lastObservedTime(whole))
                        .action("Test")
                        .reason("Test")
                        .type("Normal")
                        .reportingController("example.com/test")
                        .reportingInstance("test")
                        .regarding(new V1ObjectReference().namespace(namespace)));
        assertThat(event.getEventTime()).isEqualTo(whole);
    }

    @Test
    void patchesInEveryWay() throws ApiException {
        ResourceClient<V1ConfigMap> client = api.configMaps();
        client.create(Connected.configMap(namespace, "a", "1"));

        client.patch(namespace, "a", new Patch.Merge("{\"data\":{\"merge\":\"yes\"}}"));
        client.patch(namespace, "a", new Patch.StrategicMerge("{\"data\":{\"strategic\":\"yes\"}}"));
        client.patch(namespace, "a", new Patch.Json("[{\"op\":\"add\",\"path\":\"/data/json\",\"value\":\"yes\"}]"));
        V1ConfigMap patched = client.patch(
                namespace,
                "a",
                new Patch.Apply(
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"value\":\"2\"}}",
                        "tester",
                        true));

        assertThat(patched.getData())
                .isEqualTo(Map.of("value", "2", "merge", "yes", "strategic", "yes", "json", "yes"));
        assertThat(patched.getMetadata().getManagedFields())
                .anyMatch(entry -> Objects.equals(entry.getManager(), "tester"));
    }

    @Test
    void writesStatusThroughItsSubresource() throws ApiException {
        ResourceClient<V1ResourceQuota> client = api.client(ResourceTypes.RESOURCE_QUOTA);
        V1ResourceQuota quota = client.create(new V1ResourceQuota()
                .metadata(new V1ObjectMeta().namespace(namespace).name("q")));
        quota.setStatus(
                new V1ResourceQuotaStatus().hard(Map.of("pods", new io.kubernetes.client.custom.Quantity("3"))));

        assertThat(client.updateStatus(quota).getStatus().getHard()).containsOnlyKeys("pods");
        assertThat(client.patchStatus(namespace, "q", new Patch.Merge("{\"status\":{\"hard\":{\"pods\":\"4\"}}}"))
                        .getStatus()
                        .getHard())
                .containsEntry("pods", new io.kubernetes.client.custom.Quantity("4"));
    }

    @Test
    void dealsWithObjectsOutsideNamespaces() throws ApiException {
        ResourceClient<V1Namespace> client = api.client(ResourceTypes.NAMESPACE);

        assertThat(client.list(null))
                .anyMatch(found -> namespace.equals(found.getMetadata().getName()));
        assertThat(client.get(null, namespace)).isNotNull();
    }

    @Test
    void discoversWhatIsServed() throws ApiException {
        ApiDiscovery discovery = new ApiDiscovery(api.connection().apiClient(), new VirtualTime());

        assertThat(discovery.isServed(ResourceTypes.DEPLOYMENT)).isTrue();
        assertThat(discovery.hasStatusSubresource(ResourceTypes.DEPLOYMENT)).isTrue();
        assertThat(discovery.isServed(ResourceTypes.CONFIG_MAP)).isTrue();
        assertThat(discovery.hasStatusSubresource(ResourceTypes.CONFIG_MAP)).isFalse();
        ResourceType<V1ConfigMap> unknown =
                ResourceType.namespaced(V1ConfigMap.class, "nobody.example", "v1", "Thing", "things");
        assertThat(discovery.isServed(unknown)).isFalse();
        discovery.invalidate(unknown);
        assertThat(discovery.isServed(unknown)).isFalse();
    }

    @Test
    void givesLeaseTrafficTheSameCredentials() throws ApiException {
        ResourceClient<V1ConfigMap> client = new ResourceClient<>(
                api.connection().leaseClient(java.time.Duration.ofSeconds(5)), ResourceTypes.CONFIG_MAP);

        assertThat(client.list(namespace)).isEmpty();
    }
}

package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.reconciler.StatusWriter;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.Manifest;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Statuses under every CRD that may be installed, and under one that changes. */
@OnBothServers
class FooStatusWriterTest {

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final FooCluster cluster;
    private final String namespace;
    private final StatusWriter<Foo> writer;

    FooStatusWriterTest(TestedServer server) {
        cluster = new FooCluster(server);
        namespace = cluster.createNamespace();
        ApiClient client = cluster.recordingClient(requests);
        writer = new StatusWriter<>(client, Foo.TYPE, Clock.system());
    }

    private void installCrd(boolean subresource, boolean keepsStatus) throws ApiException {
        JsonObject json = new Gson().toJsonTree(FooCrd.OWN.manifest().content()).getAsJsonObject();
        JsonObject version =
                json.getAsJsonObject("spec").getAsJsonArray("versions").get(0).getAsJsonObject();
        if (!subresource) {
            version.remove("subresources");
        }
        if (!keepsStatus) {
            version.getAsJsonObject("schema")
                    .getAsJsonObject("openAPIV3Schema")
                    .getAsJsonObject("properties")
                    .getAsJsonObject("status")
                    .remove("properties");
        }
        @SuppressWarnings("unchecked") // a JSON object is a map
        Map<String, Object> manifest = new Gson().fromJson(json, Map.class);
        cluster.changeCrd(Foo.TYPE, new Manifest(manifest));
        // Discovery may be ahead of what the API server does with objects.
        ResourceClient<Foo> probes = cluster.foos();
        probes.delete(namespace, "probe");
        cluster.createFoo(namespace, "probe", "web", 1);
        await().untilAsserted(() -> {
            Patch patch = new Patch.Merge("{\"status\":{\"availableReplicas\":1}}");
            Foo probe = subresource
                    ? probes.patchStatus(namespace, "probe", patch)
                    : probes.patch(namespace, "probe", patch);
            assertThat(probe.availableReplicas()).isEqualTo(keepsStatus ? 1 : null);
        });
    }

    private boolean write(int availableReplicas) throws ApiException {
        requests.clear();
        return writer.write(cluster.foo(namespace, "foo"), new FooStatus(availableReplicas));
    }

    private List<String> writes() {
        return requests.stream().filter(line -> !line.startsWith("GET")).toList();
    }

    private String path() {
        return "PATCH /apis/samplecontroller.k8s.io/v1alpha1/namespaces/" + namespace + "/foos/foo";
    }

    @Test
    void writesThroughTheSubresource() throws ApiException {
        installCrd(true, true);
        cluster.createFoo(namespace, "foo", "web", 1);

        assertThat(write(2)).isTrue();
        assertThat(writes()).containsExactly(path() + "/status");
        assertThat(cluster.foo(namespace, "foo").availableReplicas()).isEqualTo(2);
        assertThat(write(2)).isFalse();
        assertThat(requests).isEmpty();
    }

    @Test
    void writesThroughTheObjectWhereThereIsNoSubresource() throws ApiException {
        installCrd(false, true);
        Foo foo = cluster.createFoo(namespace, "foo", "web", 1);

        assertThat(write(2)).isTrue();
        assertThat(writes()).containsExactly(path());
        Foo written = cluster.foo(namespace, "foo");
        assertThat(written.availableReplicas()).isEqualTo(2);
        assertThat(written.getMetadata().getGeneration())
                .as("bumped by the write")
                .isGreaterThan(foo.getMetadata().getGeneration());
        assertThat(write(2)).isFalse();
        assertThat(requests).isEmpty();
    }

    @Test
    void doesNotRepeatWhatTheCrdDrops() throws ApiException {
        installCrd(true, false);
        cluster.createFoo(namespace, "foo", "web", 1);

        assertThat(write(2)).isFalse();
        assertThat(writes()).hasSize(1);
        assertThat(write(2)).isFalse();
        assertThat(requests).isEmpty();
        assertThat(write(3)).isFalse();
        assertThat(writes()).as("another value is tried once").hasSize(1);
    }

    @Test
    void doesNotRepeatWhatTheCrdDropsFromTheObject() throws ApiException {
        installCrd(false, false);
        cluster.createFoo(namespace, "foo", "web", 1);

        assertThat(write(2)).isFalse();
        assertThat(writes()).hasSize(1);
        assertThat(write(2)).isFalse();
        assertThat(requests).isEmpty();
    }

    @Test
    void triesAgainForAFooMadeAnew() throws ApiException {
        installCrd(true, false);
        cluster.createFoo(namespace, "foo", "web", 1);
        assertThat(write(2)).isFalse();

        cluster.foos().delete(namespace, "foo");
        cluster.createFoo(namespace, "foo", "web", 1);
        assertThat(write(2)).isFalse();
        assertThat(writes()).hasSize(1);

        writer.forget(new Request(namespace, "foo"));
        assertThat(write(2)).isFalse();
        assertThat(writes()).hasSize(1);
    }

    @Test
    void noticesThatTheSubresourceIsGone() throws ApiException {
        installCrd(true, true);
        cluster.createFoo(namespace, "foo", "web", 1);
        assertThat(write(2)).isTrue();

        installCrd(false, true);
        assertThat(write(3)).isTrue();
        assertThat(writes()).containsExactly(path() + "/status", path());
        assertThat(cluster.foo(namespace, "foo").availableReplicas()).isEqualTo(3);
    }

    @Test
    void noticesThatThereIsASubresourceNow() throws ApiException {
        installCrd(false, true);
        cluster.createFoo(namespace, "foo", "web", 1);
        assertThat(write(2)).isTrue();

        installCrd(true, true);
        assertThat(write(3)).isTrue();
        assertThat(writes()).containsExactly(path(), path() + "/status");
        assertThat(cluster.foo(namespace, "foo").availableReplicas()).isEqualTo(3);
    }
}

package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.client.Patch;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Beside kube-controller-manager, kube-scheduler and a node that kwok plays. */
@RealControlPlane(controllerManager = true, scheduler = true, kwokNodes = 1, dedicated = true)
class WholeClusterTest {

    @Test
    void theExamplesReplicaBecomesAvailableAndGoesWithTheFoo(ControlPlane plane) throws ApiException {
        Cluster cluster = new Cluster(ApiServerUnderTest.of(plane));
        cluster.applyCrd(Cluster.manifest(plane.binaries().sampleControllerManifest("crd-status-subresource.yaml")));
        String namespace = cluster.createNamespace();
        String example =
                new Gson().toJson(Cluster.manifest(plane.binaries().sampleControllerManifest("example-foo.yaml")));

        try (RunningManager manager = new RunningManager(
                cluster.recordingClient(new CopyOnWriteArrayList<>()), namespace, FooController.descriptor())) {
            cluster.foos().patch(namespace, "example-foo", new Patch.Apply(example, "kubectl", false));
            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(
                                    cluster.foo(namespace, "example-foo").availableReplicas())
                            .isEqualTo(1));

            cluster.foos().delete(namespace, "example-foo");
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(cluster.deployments().get(namespace, "example-foo"))
                            .isNull());
            manager.awaitIdle(1);
            assertThat(cluster.deployments().get(namespace, "example-foo")).isNull();
        }
    }
}

package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Patch;
import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.Manifest;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.Controllers;
import io.kubernetes.client.openapi.ApiException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Beside kube-controller-manager, kube-scheduler and a node that kwok plays; the embedded server has none of them. */
@Tag("system")
class WholeClusterTest {

    private static final Manifest CRD = FooCrd.UPSTREAM_STATUS.manifest();

    private final ControlPlane plane = ControlPlane.builder()
            .crd(CRD.json())
            .controllers(Controllers.ALL)
            .scheduler(true)
            .kwokNodes(1)
            .start();

    @AfterEach
    void close() {
        plane.close();
    }

    @Test
    void theExamplesReplicaBecomesAvailableAndGoesWithTheFoo() throws ApiException {
        FooCluster cluster = new FooCluster(TestedServer.of(plane));
        cluster.installCrd(Foo.TYPE, CRD);
        String namespace = cluster.createNamespace();
        String example = Manifest.ofSampleController("example-foo.yaml").json();

        try (RunningManager manager = new RunningManager(
                cluster.recordingClient(new CopyOnWriteArrayList<>()), namespace, FooController.descriptor())) {
            cluster.foos().patch(namespace, "example-foo", new Patch.Apply(example, "kubectl", false));
            await().untilAsserted(() -> assertThat(
                            cluster.foo(namespace, "example-foo").availableReplicas())
                    .isEqualTo(1));

            cluster.foos().delete(namespace, "example-foo");
            await().untilAsserted(() -> assertThat(cluster.deployments().get(namespace, "example-foo"))
                    .isNull());
            manager.awaitIdle(1);
            assertThat(cluster.deployments().get(namespace, "example-foo")).isNull();
        }
    }
}

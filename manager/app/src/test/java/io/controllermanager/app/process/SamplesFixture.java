package io.controllermanager.app.process;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The samples in a namespace of the class's own, in which processes work and lead. */
@RealControlPlane
@Tag("system")
// Classes run side by side, each with fields of its own.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SamplesFixture {

    ControlPlane plane;
    String namespace;
    ApiClient client;

    @TempDir
    Path directory;

    @BeforeAll
    void makeSamples(ControlPlane shared, FreshNamespace fresh) throws Exception {
        plane = shared;
        namespace = fresh.name();
        client = Config.fromConfig(plane.kubeconfigFile().toString());
        Manifests.applyAll(client, namespace);
    }

    String[] arguments(String lease, String... more) {
        return Stream.concat(
                        Stream.of(
                                "--kubeconfig=" + plane.kubeconfigFile(),
                                "--namespace=" + namespace,
                                "--leader-elect-resource-namespace=" + namespace,
                                "--leader-elect-resource-name=" + lease,
                                // So that a busy machine does not cost it the Lease.
                                "--leader-elect-lease-duration=60s",
                                "--leader-elect-renew-deadline=50s"),
                        Stream.of(more))
                .toArray(String[]::new);
    }
}

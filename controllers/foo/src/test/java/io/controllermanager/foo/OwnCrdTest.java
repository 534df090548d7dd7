package io.controllermanager.foo;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.util.Map;

/** With the CRD that this repository ships. */
@RealControlPlane(dedicated = true)
class OwnCrdTest extends FooContract {

    private final ControlPlane plane;

    OwnCrdTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
        this.plane = plane;
    }

    @Override
    Map<String, Object> crd() {
        return Cluster.manifest(Cluster.CONFIG.resolve("crd/bases/samplecontroller.k8s.io_foos.yaml"));
    }

    @Override
    Map<String, Object> example() {
        return Cluster.manifest(plane.binaries().sampleControllerManifest("example-foo.yaml"));
    }
}

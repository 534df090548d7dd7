package io.controllermanager.foo;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.util.Map;

/** With sample-controller's CRD that has no status subresource. */
@RealControlPlane(dedicated = true)
class UpstreamCrdReconcilerTest extends FooReconcilerContract {

    private final ControlPlane plane;

    UpstreamCrdReconcilerTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
        this.plane = plane;
    }

    @Override
    Map<String, Object> crd() {
        return Cluster.manifest(plane.binaries().sampleControllerManifest("crd.yaml"));
    }
}

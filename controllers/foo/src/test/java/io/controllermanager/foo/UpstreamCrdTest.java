package io.controllermanager.foo;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.util.Map;

/** With sample-controller's CRD that has no status subresource. */
@RealControlPlane(dedicated = true)
class UpstreamCrdTest extends FooContract {

    private final ControlPlane plane;

    UpstreamCrdTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
        this.plane = plane;
    }

    @Override
    Map<String, Object> crd() {
        return Cluster.manifest(plane.binaries().sampleControllerManifest("crd.yaml"));
    }

    @Override
    Map<String, Object> example() {
        return Cluster.manifest(plane.binaries().sampleControllerManifest("example-foo.yaml"));
    }
}

package io.controllermanager.foo;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.util.Map;

/** With sample-controller's CRD that has a status subresource. */
@RealControlPlane(dedicated = true)
class UpstreamStatusCrdTest extends FooContract {

    private final ControlPlane plane;

    UpstreamStatusCrdTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
        this.plane = plane;
    }

    @Override
    Map<String, Object> crd() {
        return Cluster.manifest(plane.binaries().sampleControllerManifest("crd-status-subresource.yaml"));
    }

    @Override
    Map<String, Object> example() {
        return Cluster.manifest(plane.binaries().sampleControllerManifest("example-foo.yaml"));
    }
}

package io.controllermanager.foo;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.util.Map;

/** With the CRD that this repository ships. */
@RealControlPlane(dedicated = true)
class OwnCrdReconcilerTest extends FooReconcilerContract {

    OwnCrdReconcilerTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
    }

    @Override
    Map<String, Object> crd() {
        return Cluster.manifest(Cluster.CONFIG.resolve("crd/bases/samplecontroller.k8s.io_foos.yaml"));
    }
}

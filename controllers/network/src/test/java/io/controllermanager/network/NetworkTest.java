package io.controllermanager.network;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;

/** On a real API server. */
@RealControlPlane(dedicated = true)
class NetworkTest extends NetworkContract {

    NetworkTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
    }
}

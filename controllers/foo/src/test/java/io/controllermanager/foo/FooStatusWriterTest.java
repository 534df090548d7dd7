package io.controllermanager.foo;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;

/** On a real API server, which for this has the Foo CRD replaced now and then. */
@RealControlPlane(dedicated = true)
class FooStatusWriterTest extends FooStatusWriterContract {

    FooStatusWriterTest(ControlPlane plane) {
        super(ApiServerUnderTest.of(plane));
    }
}

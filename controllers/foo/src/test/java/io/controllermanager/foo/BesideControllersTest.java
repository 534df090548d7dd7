package io.controllermanager.foo;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Some of {@link FooPlanTest} and {@link UpgradePlanTest} beside kube-controller-manager. */
@RealControlPlane(controllerManager = true)
@Tag("deep")
class BesideControllersTest {

    private interface Scenario<T> {
        void play(T test) throws ApiException;
    }

    @TestFactory
    List<DynamicTest> foos(ControlPlane plane) {
        return List.of(
                foo(plane, "a new Foo", FooPlanTest::aNewFoo),
                foo(plane, "a Foo that needs nothing", FooPlanTest::aFooThatNeedsNothing),
                foo(plane, "a Foo that is scaled", FooPlanTest::aFooThatIsScaled),
                foo(plane, "a Foo whose Deployment was deleted", FooPlanTest::aFooWhoseDeploymentWasDeleted),
                foo(plane, "a Deployment that somebody scaled", FooPlanTest::aDeploymentThatSomebodyScaled));
    }

    private static DynamicTest foo(ControlPlane plane, String name, Scenario<FooPlanTest> scenario) {
        return dynamicTest(name, () -> {
            FooPlanTest test = new FooPlanTest(TestedServer.of(plane));
            test.installCrd();
            scenario.play(test);
        });
    }

    @TestFactory
    List<DynamicTest> upgrades(ControlPlane plane) {
        return List.of(
                upgrade(plane, "another value", UpgradePlanTest::anotherValue),
                upgrade(plane, "one more child", UpgradePlanTest::oneMoreChild),
                upgrade(plane, "one child less", UpgradePlanTest::oneChildLess),
                upgrade(plane, "a child that is replaced", UpgradePlanTest::aChildThatIsReplaced),
                upgrade(plane, "a finalizer", UpgradePlanTest::aFinalizer));
    }

    private static DynamicTest upgrade(ControlPlane plane, String name, Scenario<UpgradePlanTest> scenario) {
        return dynamicTest(name, () -> {
            UpgradePlanTest test = new UpgradePlanTest(TestedServer.of(plane));
            test.installCrd();
            scenario.play(test);
        });
    }
}

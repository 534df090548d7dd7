package com.example.website;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Some of {@link WebsitePlanTest} beside kube-controller-manager. */
@RealControlPlane(controllerManager = true)
@Tag("deep")
class BesideControllersTest {

    private interface Scenario {
        void play(WebsitePlanTest test) throws ApiException;
    }

    @TestFactory
    List<DynamicTest> websites(ControlPlane plane) {
        return List.of(
                test(plane, "a new Website", WebsitePlanTest::aNewWebsite),
                test(plane, "another page", WebsitePlanTest::anotherPage),
                test(plane, "what others have changed", WebsitePlanTest::whatOthersHaveChanged),
                test(plane, "a Secret that comes later", WebsitePlanTest::aSecretThatComesLater),
                test(plane, "the next release", WebsitePlanTest::theNextRelease));
    }

    private static DynamicTest test(ControlPlane plane, String name, Scenario scenario) {
        return dynamicTest(name, () -> {
            WebsitePlanTest test = new WebsitePlanTest(TestedServer.of(plane));
            test.installCrd();
            scenario.play(test);
        });
    }
}

package io.controllermanager.crd;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import org.junit.jupiter.api.Test;

/**
 * The real API server and the embedded one judge random objects of generated CRDs alike. {@link RandomObjectsSeedsTest} has
 * the other seeds.
 */
@RealControlPlane
class RandomObjectsTest {

    @Test
    void areJudgedAlike(ControlPlane plane) throws Exception {
        try (ApiServer embedded = ApiServer.start();
                BothJudges judges = new BothJudges(TestedServer.of(embedded), TestedServer.of(plane))) {
            judges.expectAgreement(1, 300);
        }
    }
}

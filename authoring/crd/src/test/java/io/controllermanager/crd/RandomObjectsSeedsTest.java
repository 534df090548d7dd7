package io.controllermanager.crd;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link RandomObjectsTest} with many seeds. */
@RealControlPlane
@Tag("deep")
class RandomObjectsSeedsTest {

    @Test
    void areJudgedAlikeWithEachSeed(ControlPlane plane) throws Exception {
        try (ApiServer embedded = ApiServer.start();
                BothJudges judges = new BothJudges(TestedServer.of(embedded), TestedServer.of(plane))) {
            for (int seed = 2; seed <= 40; seed++) {
                judges.expectAgreement(seed, 300);
            }
        }
    }
}

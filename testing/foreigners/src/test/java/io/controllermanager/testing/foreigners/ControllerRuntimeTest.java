package io.controllermanager.testing.foreigners;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.foreigners.GinkgoSuite.Report;
import io.controllermanager.testing.foreigners.TwoServers.Both;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * controller-runtime's own suites, of the packages that need an API server and get along without a port that they choose
 * themselves.
 */
@Tag("deep")
class ControllerRuntimeTest {

    private static final List<String> PACKAGES = List.of(
            "builder",
            "cache",
            "client",
            "cluster",
            "controller",
            "controller/controllerutil",
            "handler",
            "manager",
            "source");

    @Test
    void passesWhatIsRecorded() throws Exception {
        List<String> lines = new ArrayList<>();
        for (GinkgoSuite suite : GinkgoSuite.build(PACKAGES)) {
            try (TwoServers servers = start()) {
                Both<Report> reports = servers.each(suite::run);
                lines.add(suite.name() + ": real " + reports.real() + ", embedded " + reports.embedded());
                reports.real().failed().forEach(test -> lines.add("  real: " + test));
                reports.embedded().failed().forEach(test -> lines.add("  embedded: " + test));
            }
        }
        Differences.check("controller-runtime", String.join("\n", lines) + "\n");
    }

    /** The real one is as envtest starts it, for which the suites are written: without any controller. */
    private static TwoServers start() {
        return new TwoServers(
                TestedServer.of(ControlPlane.builder()
                        .apiServerFlag("allow-privileged", "true")
                        .start()),
                TestedServer.of(
                        ApiServer.builder().tls(true).authorization(true).start()));
    }
}

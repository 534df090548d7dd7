package io.controllermanager.testing.controlplane;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a {@link ControlPlaneBuilder} was told. */
record Configuration(
        boolean housekeeper,
        boolean controllerManager,
        boolean scheduler,
        int kwokNodes,
        List<String> crds,
        AuditLevel auditLevel,
        Duration startTimeout,
        Path parentDirectory,
        Map<String, String> etcdFlags,
        Map<String, String> apiServerFlags,
        Map<String, String> schedulerFlags) {

    /** Whether somebody gives namespaces their service account. */
    boolean makesServiceAccounts() {
        return housekeeper || controllerManager;
    }
}

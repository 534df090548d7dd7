package io.controllermanager.testing.controlplane;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a {@link ControlPlaneBuilder} was told. */
record Configuration(
        Controllers controllers,
        boolean scheduler,
        int kwokNodes,
        List<String> crds,
        AuditLevel auditLevel,
        Path parentDirectory,
        Map<String, String> apiServerFlags,
        List<Map<String, String>> furtherApiServers) {

    /** Whether somebody gives namespaces their service account. */
    boolean makesServiceAccounts() {
        return controllers != Controllers.NONE;
    }
}

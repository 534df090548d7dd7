package io.controllermanager.testing.controlplane;

/**
 * How much of every request the audit log holds.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/">Kubernetes: Auditing</a>
 */
public enum AuditLevel {
    /** No line at all. */
    NONE("None", "None"),
    /** Who asked for what, when, and the answer's code; of Leases the bodies too, which say who leads. */
    METADATA("Metadata", "RequestResponse");

    private final String ofAll;
    private final String ofLeases;

    AuditLevel(String ofAll, String ofLeases) {
        this.ofAll = ofAll;
        this.ofLeases = ofLeases;
    }

    /** One line for each request: the stage in which it was received is left out. */
    String policy() {
        return """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived]
                rules:
                - level: %s
                  resources: [{group: coordination.k8s.io, resources: [leases]}]
                - level: %s
                """.formatted(ofLeases, ofAll);
    }
}

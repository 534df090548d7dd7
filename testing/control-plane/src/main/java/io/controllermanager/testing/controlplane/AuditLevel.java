package io.controllermanager.testing.controlplane;

/**
 * How much of every request the audit log holds.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/">Kubernetes: Auditing</a>
 */
public enum AuditLevel {
    /** No line at all. */
    NONE("None", "None", "None"),
    /**
     * Who asked for what, when, and the answer's code; of Leases the bodies too, which say who leads, and the options of
     * deletions, which say whether it is a dry run.
     */
    METADATA("Metadata", "RequestResponse", "Request");

    private final String ofAll;
    private final String ofLeases;
    private final String ofDeletions;

    AuditLevel(String ofAll, String ofLeases, String ofDeletions) {
        this.ofAll = ofAll;
        this.ofLeases = ofLeases;
        this.ofDeletions = ofDeletions;
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
                  verbs: [delete]
                - level: %s
                """.formatted(ofLeases, ofDeletions, ofAll);
    }
}

package io.controllermanager.testing.controlplane;

/**
 * How much of every request the audit log holds.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/">Kubernetes: Auditing</a>
 */
public enum AuditLevel {
    /** No line at all. */
    NONE("None"),
    /** Who asked for what, when, and the answer's code. */
    METADATA("Metadata"),
    /** The request's body as well. */
    REQUEST("Request"),
    /** The bodies of request and response as well. */
    REQUEST_RESPONSE("RequestResponse");

    private final String word;

    AuditLevel(String word) {
        this.word = word;
    }

    /** One rule for all requests, and one line for each: the stage in which it was received is left out. */
    String policy() {
        return """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived]
                rules:
                - level: %s
                """.formatted(word);
    }
}

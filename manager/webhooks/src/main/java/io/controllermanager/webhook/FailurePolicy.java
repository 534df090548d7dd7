package io.controllermanager.webhook;

/** What becomes of a write if its webhook does not answer; Kubernetes' own values. */
public enum FailurePolicy {
    /** It is refused. */
    FAIL,
    /** It goes on unchecked. */
    IGNORE
}

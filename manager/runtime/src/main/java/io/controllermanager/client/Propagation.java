package io.controllermanager.client;

/** What becomes of an object's dependents when it is deleted; see the Kubernetes documentation on garbage collection. */
public enum Propagation {
    /** The object goes at once, its dependents soon after. */
    BACKGROUND("Background"),
    /** The object goes once those dependents are gone that block its deletion. */
    FOREGROUND("Foreground"),
    /** The object goes, its dependents stay without an owner. */
    ORPHAN("Orphan");

    private final String policy;

    Propagation(String policy) {
        this.policy = policy;
    }

    /** As {@code propagationPolicy} of a request's DeleteOptions. */
    public String policy() {
        return policy;
    }
}

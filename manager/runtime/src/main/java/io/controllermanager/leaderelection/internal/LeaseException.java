package io.controllermanager.leaderelection.internal;

import org.jspecify.annotations.Nullable;

/** A request for the Lease did not succeed. Its message tells an operator what to do about it. */
final class LeaseException extends Exception {

    /** What the election has to tell apart. */
    enum Reason {
        /** Another was faster: the Lease has changed, or was made meanwhile. */
        CONFLICT,
        /** There is no Lease to update. */
        NOT_FOUND,
        /** Not allowed, not reachable, or anything else: to be tried again. */
        FAILED
    }

    private static final long serialVersionUID = 1L;
    private static final String MISSING_PERMISSION = "missing permission: ";

    private final Reason reason;

    LeaseException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }

    /** The message if RBAC is in the way. */
    static String missingPermission(String verb, LeaderElectionConfig config) {
        return MISSING_PERMISSION + verb + " leases.coordination.k8s.io \"" + config.leaseName() + "\" in namespace \""
                + config.leaseNamespace() + "\"";
    }

    /** The message if RBAC is in the way of a request for all Leases of the namespace. */
    static String missingPermissionForAll(String verb, LeaderElectionConfig config) {
        return MISSING_PERMISSION + verb + " leases.coordination.k8s.io in namespace \"" + config.leaseNamespace()
                + "\"";
    }

    /** Whether a message says that RBAC is in the way. */
    static boolean isMissingPermission(@Nullable String message) {
        return message != null && message.startsWith(MISSING_PERMISSION);
    }
}

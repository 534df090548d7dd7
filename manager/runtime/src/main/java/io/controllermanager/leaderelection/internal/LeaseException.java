package io.controllermanager.leaderelection.internal;

import org.jspecify.annotations.Nullable;

/** A request for the Lease did not succeed. Its message tells an operator what to do about it. */
final class LeaseException extends Exception {

    private static final long serialVersionUID = 1L;
    private static final String MISSING_PERMISSION = "missing permission: ";

    /**
     * Whether another was faster: the Lease has changed, was made meanwhile, or is gone. Otherwise the request is not allowed,
     * has not reached the API server, or failed in another way, and is to be tried again.
     */
    final boolean beaten;

    LeaseException(boolean beaten, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.beaten = beaten;
    }

    /** The message if RBAC is in the way of a request for one Lease, or to list all of its namespace. */
    static String missingPermission(String verb, LeaderElectionConfig config) {
        String which = verb.equals("list") ? "" : " \"" + config.leaseName() + "\"";
        return MISSING_PERMISSION + verb + " leases.coordination.k8s.io" + which + " in namespace \""
                + config.leaseNamespace() + "\"";
    }

    /** Whether a message says that RBAC is in the way. */
    static boolean isMissingPermission(@Nullable String message) {
        return message != null && message.startsWith(MISSING_PERMISSION);
    }
}

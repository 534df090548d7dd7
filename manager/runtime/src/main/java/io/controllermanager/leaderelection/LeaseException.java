package io.controllermanager.leaderelection;

import org.jspecify.annotations.Nullable;

/** A request for the Lease did not succeed. Its message tells an operator what to do about it. */
public final class LeaseException extends Exception {

    /** What the message begins with if RBAC is in the way; the rule follows. */
    static final String MISSING_PERMISSION = "missing permission: ";

    private static final long serialVersionUID = 1L;

    /** What the election has to tell apart. */
    public enum Reason {
        /** Another was faster: the Lease has changed, or was made meanwhile. */
        CONFLICT,
        /** There is no Lease to update. */
        NOT_FOUND,
        /** Not allowed, not reachable, or anything else: to be tried again. */
        FAILED
    }

    private final Reason reason;

    /** With what went wrong and where it came from. */
    public LeaseException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Whether RBAC is in the way. */
    boolean isForbidden() {
        return String.valueOf(getMessage()).startsWith(MISSING_PERMISSION);
    }

    /** What the election has to tell apart. */
    public Reason reason() {
        return reason;
    }
}

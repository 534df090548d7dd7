package io.controllermanager.reconciler;

import io.controllermanager.readiness.Readiness;

/** A change waits for a slot of the roll-out budget. It ends the reconcile, and is no failure. */
final class WaitsForSlotException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** How the child is that was to be changed. */
    final transient Readiness child;

    WaitsForSlotException(String message, Readiness child) {
        super(message, null, false, false);
        this.child = child;
    }
}

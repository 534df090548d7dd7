package io.controllermanager.reconciler;

/** A change waits for a slot of the roll-out budget. It ends the reconcile, and is no failure. */
final class WaitsForSlotException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WaitsForSlotException(String message) {
        super(message, null, false, false);
    }
}

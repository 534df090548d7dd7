package io.controllermanager.controller;

/**
 * Thrown by a reconciler when trying again is of no use until the object changes: the key is not retried, the error is
 * logged and counted. It may be the cause of what is thrown. controller-runtime's {@code reconcile.TerminalError}.
 */
public class TerminalException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what is wrong. */
    public TerminalException(String message) {
        super(message);
    }

    /** With what is wrong and what it came from. */
    public TerminalException(String message, Throwable cause) {
        super(message, cause);
    }
}

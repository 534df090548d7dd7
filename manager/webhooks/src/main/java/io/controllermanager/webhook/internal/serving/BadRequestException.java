package io.controllermanager.webhook.internal.serving;

/** A request that cannot be understood; its message says why. */
public final class BadRequestException extends Exception {

    private static final long serialVersionUID = 1L;

    public BadRequestException(String message) {
        super(message);
    }
}

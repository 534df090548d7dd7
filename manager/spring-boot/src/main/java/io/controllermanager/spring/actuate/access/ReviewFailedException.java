package io.controllermanager.spring.actuate.access;

import org.jspecify.annotations.Nullable;

/** It is not known who somebody is or what they may do. The message is fit for those who asked, whoever they are. */
public final class ReviewFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String detail;

    /**
     * With what is said to whom.
     *
     * @param message for those who asked
     * @param detail for the log
     */
    public ReviewFailedException(String message, String detail, @Nullable Throwable cause) {
        super(message, cause);
        this.detail = detail;
    }

    /** What happened, for the log; without anything secret. */
    public String detail() {
        return detail;
    }
}

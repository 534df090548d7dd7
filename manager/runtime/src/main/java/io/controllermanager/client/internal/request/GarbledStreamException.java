package io.controllermanager.client.internal.request;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A watch sends what is no event. */
public final class GarbledStreamException extends IOException {
    private static final long serialVersionUID = 1L;

    /** With what is wrong, and how it was found. */
    public GarbledStreamException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

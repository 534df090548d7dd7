package io.controllermanager.informer.internal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A watch sends what is no event. */
final class GarbledStreamException extends IOException {
    private static final long serialVersionUID = 1L;

    GarbledStreamException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package io.controllermanager.testing.controlplane;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The control plane could not be built, started or reached; the message says what to do about it. */
public final class ControlPlaneException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1;

    ControlPlaneException(String message) {
        this(message, null);
    }

    ControlPlaneException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

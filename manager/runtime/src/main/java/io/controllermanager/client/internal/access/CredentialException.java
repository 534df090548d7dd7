package io.controllermanager.client.internal.access;

import java.io.IOException;

/** There are no valid credentials to send a request with. The message names the plugin and holds nothing of its answer. */
public final class CredentialException extends IOException {

    private static final long serialVersionUID = 1L;

    CredentialException(String message) {
        super(message);
    }
}

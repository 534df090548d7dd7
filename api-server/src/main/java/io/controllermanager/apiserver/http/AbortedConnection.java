package io.controllermanager.apiserver.http;

import java.io.IOException;

/** The connection is to be cut where it stands. */
public final class AbortedConnection extends IOException {

    private static final long serialVersionUID = 1;

    public AbortedConnection() {
        super("cut on demand");
    }
}

package io.controllermanager.client.internal.connection;

import java.io.IOException;

/**
 * Says whether this process may still write. Asked just before each mutating request (anything but
 * GET, HEAD and OPTIONS) of the host's client goes out: before it gets a connection, and again when it has one. Leadership
 * implements it.
 */
@FunctionalInterface
public interface WriteFence {

    /** Lets everything through. */
    static WriteFence open() {
        return () -> {};
    }

    /**
     * Returns if a write may go out now.
     *
     * @throws WriteRefusedException if it may not; the request is not sent
     */
    void checkWrite() throws WriteRefusedException;

    /** What decides about a write that begins at this moment on this thread, whichever thread sends it later. */
    default WriteFence here() {
        return this;
    }

    /** A write was held back in this process, before it was sent. */
    final class WriteRefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        /** With the reason, such as "no longer the leader of default/controller-manager". */
        public WriteRefusedException(String reason) {
            super(reason);
        }
    }
}

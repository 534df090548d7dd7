package io.controllermanager.testing.apiserver.storage;

/** The history asked for is gone. */
public final class CompactedException extends Exception {

    private static final long serialVersionUID = 1;

    CompactedException(long asked, long oldest) {
        super("too old resource version: " + asked + " (" + oldest + ")");
    }
}

package io.controllermanager.testing.apiserver;

import java.time.Instant;
import java.time.InstantSource;

/** The clock of everything in a server, in whose place a test may put another. For use by any thread. */
final class ServerClock implements InstantSource {

    private volatile InstantSource source;

    ServerClock(InstantSource source) {
        this.source = source;
    }

    void set(InstantSource other) {
        source = other;
    }

    @Override
    public Instant instant() {
        return source.instant();
    }
}

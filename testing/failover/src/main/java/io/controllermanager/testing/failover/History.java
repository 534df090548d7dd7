package io.controllermanager.testing.failover;

import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the audit log has said so far. For one thread. */
final class History {

    private final Tail log;
    private final List<AuditEvent> events = new ArrayList<>();

    History(Path auditLog) {
        this.log = new Tail(auditLog);
    }

    /** Reads what is new. */
    void read() throws IOException {
        StampClock clock = StampClock.read();
        for (String line : log.newLines()) {
            try {
                events.add(AuditEvent.parse(line, clock));
            } catch (JsonParseException e) {
                // Torn by the end of the API server: that request has not been answered.
            }
        }
    }

    /** Drops what has been read. */
    void forget() {
        events.clear();
    }

    /** All of it that was not dropped, as of the last reading. */
    List<AuditEvent> events() {
        return Collections.unmodifiableList(events);
    }
}

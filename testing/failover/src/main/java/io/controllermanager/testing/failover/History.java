package io.controllermanager.testing.failover;

import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the audit log has said so far. For one thread. */
final class History {

    /** Right before each event; nothing else in the log has a level. */
    private static final String BEGIN_OF_EVENT = "(?=\\{\"kind\":\"Event\",\"apiVersion\":\"audit\\.k8s\\.io)";

    private final List<Tail> logs;
    private final List<AuditEvent> events = new ArrayList<>();

    /** That of one API server or of several. */
    History(List<Path> auditLogs) {
        this.logs = auditLogs.stream().map(Tail::new).toList();
    }

    /** Reads what is new. */
    void read() throws IOException {
        StampClock clock = StampClock.read();
        for (Tail log : logs) {
            for (String line : log.newLines()) {
                add(line, clock);
            }
        }
    }

    private void add(String line, StampClock clock) {
        // What an API server had not written to its end when it died is followed by the next one's first event.
        for (String event : line.split(BEGIN_OF_EVENT, -1)) {
            try {
                events.add(AuditEvent.parse(event, clock));
            } catch (JsonParseException e) {
                // Torn: that request has not been answered.
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

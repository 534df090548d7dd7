package io.controllermanager.testing.failover;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a replica has recorded of its reconciles. For one thread. */
final class ReconcileRecord {

    private final Tail file;
    private final Map<String, Reconcile> running = new LinkedHashMap<>();
    private final Map<String, Reconcile> all = new LinkedHashMap<>();

    ReconcileRecord(Path file) {
        this.file = new Tail(file);
    }

    /**
     * Reads what is new.
     *
     * @param clock what stamps are on the API server's clock
     * @param processEnd when the replica ended, null if it runs
     */
    void read(StampClock clock, @Nullable Instant processEnd) throws IOException {
        List<String> lines = file.newLines();
        for (String line : lines) {
            String[] parts = line.split(" ", -1);
            String id = parts[1];
            if (parts[0].equals(WatchedReplica.BEGIN)) {
                Instant begin = clock.instant(Long.parseLong(parts[3]));
                running.put(id, new Reconcile(parts[4], clock.instant(Long.parseLong(parts[2])), begin, begin));
            } else {
                Reconcile begun = Objects.requireNonNull(running.remove(id), line);
                all.put(id, begun.until(clock.instant(Long.parseLong(parts[2]))));
            }
        }
        Instant seen = processEnd == null ? clock.wall() : processEnd;
        running.forEach((id, begun) -> all.put(id, begun.until(seen)));
    }

    /** All reconciles, as of the last reading. */
    Collection<Reconcile> reconciles() {
        return Collections.unmodifiableCollection(all.values());
    }
}

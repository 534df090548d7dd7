package io.controllermanager.recorder;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Folds repetitions: the first is written as an Event, the second makes it a series, and further ones are counted and
 * written together at most every few seconds, so that a loop that goes wrong costs little. Used by one thread.
 */
final class EventSeries {

    /** Repetitions further apart are separate Events, as with client-go's correlator. */
    private static final Duration MEMORY = Duration.ofMinutes(10);

    private static final Duration WRITE_INTERVAL = Duration.ofSeconds(5);
    private static final int CAPACITY = 2048;

    private final EventWriter writer;
    private final Clock clock;

    // In the order of the latest repetition, the oldest first.
    private final LinkedHashMap<RecordedEvent.Identity, Series> known = new LinkedHashMap<>(16, 0.75f, true);

    // In the order in which they came to be unwritten; few compared with those that are known.
    private final Set<Series> unwritten = new LinkedHashSet<>();

    // When the first of them may be written; means nothing if there is none.
    private long dueAt;

    private static final class Series {

        private final RecordedEvent first;
        private String name;
        private int count = 1;
        private Instant last;
        private long seenNanos;
        private long writtenNanos;

        Series(RecordedEvent first, String name, long now) {
            this.first = first;
            this.name = name;
            this.last = first.at();
            this.seenNanos = now;
            this.writtenNanos = now;
        }
    }

    EventSeries(EventWriter writer, Clock clock) {
        this.writer = writer;
        this.clock = clock;
    }

    void record(RecordedEvent event) throws InterruptedException {
        long now = clock.nanoTime();
        Series series = known.get(event.identity());
        if (series == null || now - series.seenNanos > MEMORY.toNanos()) {
            create(event, now);
            return;
        }
        series.count++;
        series.last = event.at();
        series.seenNanos = now;
        if (series.count == 2) {
            write(series);
        } else {
            long seriesDueAt = series.writtenNanos + WRITE_INTERVAL.toNanos();
            if (unwritten.isEmpty() || seriesDueAt - dueAt < 0) {
                dueAt = seriesDueAt;
            }
            unwritten.add(series);
        }
    }

    private void create(RecordedEvent event, long now) throws InterruptedException {
        String name = writer.create(event);
        if (name == null) {
            return;
        }
        known.put(event.identity(), new Series(event, name, now));
        Iterator<Series> oldest = known.values().iterator();
        for (Series first = oldest.next();
                known.size() > CAPACITY || now - first.seenNanos > MEMORY.toNanos();
                first = oldest.next()) {
            oldest.remove();
        }
    }

    /** How long until {@link #flush} has something to write; zero or less if it has now. */
    long nanosUntilDue() {
        return unwritten.isEmpty() ? Long.MAX_VALUE : dueAt - clock.nanoTime();
    }

    /**
     * Writes the counts that have waited long enough.
     *
     * @param all whether to write those that have not, too
     */
    void flush(boolean all) throws InterruptedException {
        long now = clock.nanoTime();
        for (Series series : List.copyOf(unwritten)) {
            if (all || now - series.writtenNanos >= WRITE_INTERVAL.toNanos()) {
                write(series);
            }
        }
        long latest = now + WRITE_INTERVAL.toNanos();
        dueAt = latest;
        for (Series series : unwritten) {
            dueAt = Math.min(dueAt - latest, series.writtenNanos + WRITE_INTERVAL.toNanos() - latest) + latest;
        }
    }

    private void write(Series series) throws InterruptedException {
        unwritten.remove(series);
        @Nullable String name = writer.update(series.first, series.name, series.count, series.last);
        if (name != null) {
            series.name = name;
        }
        series.writtenNanos = clock.nanoTime();
    }
}

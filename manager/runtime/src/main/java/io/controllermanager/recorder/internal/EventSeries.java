package io.controllermanager.recorder.internal;

import io.controllermanager.recorder.internal.EventMetrics.Fate;
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
 * written together, after 5 seconds at first and then ever more rarely, down to every 5 minutes, so that a loop that goes
 * wrong costs little. Used by one thread.
 */
final class EventSeries {

    /** Repetitions further apart are separate Events. */
    static final Duration MEMORY = Duration.ofMinutes(10);

    /** How many Events are known. */
    static final int CAPACITY = 2048;

    private static final Duration FIRST_INTERVAL = Duration.ofSeconds(5);
    private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(5);

    private final EventWriter writer;
    private final Clock clock;
    private final EventMetrics metrics;

    // In the order of the latest repetition, the oldest first.
    private final LinkedHashMap<RecordedEvent.Identity, Series> known = new LinkedHashMap<>(16, 0.75f, true);

    // In the order in which they came to be unwritten; few compared with those that are known.
    private final Set<Series> unwritten = new LinkedHashSet<>();

    private static final class Series {

        private final RecordedEvent first;
        private final String name;
        private int count = 1;
        private Instant last;
        private long seenNanos;
        private long writtenNanos;
        private long intervalNanos = FIRST_INTERVAL.toNanos();

        Series(RecordedEvent first, String name, long now) {
            this.first = first;
            this.name = name;
            this.last = first.at();
            this.seenNanos = now;
            this.writtenNanos = now;
        }

        /** When its count may be written next. */
        long dueAt() {
            return writtenNanos + intervalNanos;
        }
    }

    EventSeries(EventWriter writer, Clock clock, EventMetrics metrics) {
        this.writer = writer;
        this.clock = clock;
        this.metrics = metrics;
    }

    /**
     * Writes an Event or counts it.
     *
     * @param times how often it was recorded
     * @param last when it was recorded last
     */
    void record(RecordedEvent event, int times, Instant last) throws InterruptedException {
        long now = clock.nanoTime();
        Series series = known.get(event.identity());
        int repetitions = times;
        if (series == null || now - series.seenNanos > MEMORY.toNanos()) {
            series = create(event, now);
            repetitions--;
        }
        if (repetitions == 0) {
            return;
        }
        metrics.count(Fate.SERIES, repetitions);
        boolean becomesOne = series.count == 1;
        series.count += repetitions;
        series.last = last;
        series.seenNanos = now;
        if (becomesOne) {
            write(series);
        } else {
            unwritten.add(series);
        }
    }

    private Series create(RecordedEvent event, long now) throws InterruptedException {
        Series series = new Series(event, writer.name(event), now);
        @Nullable Series before = known.put(event.identity(), series);
        if (before != null && unwritten.contains(before)) {
            write(before);
        }
        // Known even if it cannot be written: a repetition then does it, and not each one at once.
        if (writer.create(event, series.name)) {
            metrics.count(Fate.WRITTEN, 1);
        }
        Iterator<Series> oldest = known.values().iterator();
        for (Series first = oldest.next();
                first != series && (known.size() > CAPACITY || now - first.seenNanos > MEMORY.toNanos());
                first = oldest.next()) {
            oldest.remove();
            if (unwritten.contains(first)) {
                write(first);
            }
        }
        return series;
    }

    /** How long until {@link #flush} has something to write; zero or less if it has now. */
    long nanosUntilDue() {
        long now = clock.nanoTime();
        return unwritten.stream()
                .mapToLong(series -> series.dueAt() - now)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /**
     * Writes the counts that have waited long enough.
     *
     * @param all whether to write those that have not, too
     */
    void flush(boolean all) throws InterruptedException {
        long now = clock.nanoTime();
        for (Series series : List.copyOf(unwritten)) {
            if (all || now - series.dueAt() >= 0) {
                series.intervalNanos = Math.min(2 * series.intervalNanos, LONGEST_INTERVAL.toNanos());
                write(series);
            }
        }
    }

    private void write(Series series) throws InterruptedException {
        unwritten.remove(series);
        writer.update(series.first, series.name, series.count, series.last);
        series.writtenNanos = clock.nanoTime();
    }
}

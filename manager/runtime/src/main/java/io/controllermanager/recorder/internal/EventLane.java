package io.controllermanager.recorder.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.recorder.internal.EventMetrics.Fate;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the Events of some objects, one after the other, on a thread that starts with the first of them: so the Events
 * of one object keep their order while several lanes write. One that is recorded again while it waits takes no further
 * place.
 */
final class EventLane {

    private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);

    private final String name;
    private final EventBuffer buffer;
    private final EventSeries series;
    private final EventMetrics metrics;

    @GuardedBy("this")
    private final Map<RecordedEvent.Identity, Waiting> events = new LinkedHashMap<>();

    @GuardedBy("this")
    private @Nullable Thread thread;

    @GuardedBy("this")
    private boolean ending;

    private volatile boolean abandoned;

    /** An Event that waits to be written, how often it was recorded meanwhile, and when the last time. */
    private record Waiting(RecordedEvent event, int count, Instant last) {}

    /** What a lane's thread does, which may fail in any way. */
    private interface Work {
        void run() throws InterruptedException;
    }

    EventLane(String name, EventBuffer buffer, EventSeries series, EventMetrics metrics) {
        this.name = name;
        this.buffer = buffer;
        this.series = series;
        this.metrics = metrics;
    }

    /** Takes an Event; returns false if the lane ends or the buffer is full. */
    synchronized boolean offer(RecordedEvent.Identity identity, RecordedEvent event) {
        if (ending || (!events.containsKey(identity) && !buffer.reserve())) {
            return false;
        }
        events.merge(
                identity,
                new Waiting(event, 1, event.at()),
                (first, again) -> new Waiting(first.event, first.count + 1, again.last));
        notifyAll();
        if (thread == null) {
            Thread started = new Thread(this::run, name);
            started.setDaemon(true);
            started.start();
            thread = started;
        }
        return true;
    }

    /** Lets the thread end when it has written what waits. */
    synchronized void end() {
        ending = true;
        notifyAll();
    }

    /** Waits for the thread's end; returns whether it has ended in time. */
    boolean awaitEnd(long nanos) {
        Thread running = thread();
        if (running == null) {
            return true;
        }
        try {
            running.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !running.isAlive();
    }

    /** Gives up what has not been written. */
    void abandon() {
        abandoned = true;
        Thread running = thread();
        if (running != null) {
            running.interrupt();
        }
    }

    private synchronized @Nullable Thread thread() {
        return thread;
    }

    private void run() {
        try {
            for (Waiting next = next(); next != null; next = next()) {
                Waiting event = next;
                attempt("Event " + event.event.reason() + " about " + event.event.object(), () -> {
                    try {
                        series.record(event.event, event.count, event.last);
                    } finally {
                        buffer.release(1);
                    }
                });
            }
            flush(true);
        } catch (InterruptedException e) {
            // Only abandon() interrupts, when the time is up.
        } finally {
            giveUp();
        }
    }

    /** Whatever ended the thread, the next Event starts another. */
    private synchronized void giveUp() {
        metrics.count(
                Fate.DROPPED, events.values().stream().mapToLong(Waiting::count).sum());
        buffer.release(events.size());
        events.clear();
        thread = null;
    }

    /** The next Event, null at the end; writes series that are due meanwhile. */
    private @Nullable Waiting next() throws InterruptedException {
        while (true) {
            if (abandoned) {
                throw new InterruptedException();
            }
            long untilDue = series.nanosUntilDue();
            if (untilDue <= 0) {
                flush(false);
                continue;
            }
            synchronized (this) {
                Iterator<Waiting> first = events.values().iterator();
                if (first.hasNext()) {
                    Waiting event = first.next();
                    first.remove();
                    return event;
                }
                if (ending) {
                    return null;
                }
                TimeUnit.NANOSECONDS.timedWait(this, untilDue);
            }
        }
    }

    private void flush(boolean all) throws InterruptedException {
        attempt("Repetitions of Events", () -> series.flush(all));
    }

    private void attempt(String what, Work work) throws InterruptedException {
        try {
            work.run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            metrics.count(Fate.FAILED, 1);
            log.error("{} could not be recorded: {}", what, FailureMessage.of(e), e);
        }
    }
}

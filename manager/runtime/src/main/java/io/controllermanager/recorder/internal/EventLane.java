package io.controllermanager.recorder.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<RecordedEvent.Identity, WaitingEvent> events = new LinkedHashMap<>();

    @GuardedBy("lock")
    private @Nullable Thread thread;

    @GuardedBy("lock")
    private boolean ending;

    private volatile boolean abandoned;

    EventLane(String name, EventBuffer buffer, EventSeries series, EventMetrics metrics) {
        this.name = name;
        this.buffer = buffer;
        this.series = series;
        this.metrics = metrics;
    }

    /** Takes an Event; returns false if the lane ends or the buffer is full. */
    boolean offer(RecordedEvent.Identity identity, RecordedEvent event) {
        lock.lock();
        try {
            if (ending) {
                return false;
            }
            WaitingEvent same = events.get(identity);
            if (same != null) {
                same.repeat(event.at());
                return true;
            }
            if (!buffer.reserve()) {
                return false;
            }
            events.put(identity, new WaitingEvent(event));
            changed.signal();
            if (thread == null) {
                Thread started = new Thread(this::run, name);
                started.setDaemon(true);
                started.start();
                thread = started;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the thread end when it has written what waits. */
    void end() {
        lock.lock();
        try {
            ending = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
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

    private @Nullable Thread thread() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            WaitingEvent event = next();
            while (event != null) {
                write(event);
                event = next();
            }
            flush(true);
        } catch (InterruptedException e) {
            // Only abandon() interrupts, when the time is up.
        } finally {
            lock.lock();
            try {
                metrics.dropped(
                        events.values().stream().mapToLong(WaitingEvent::count).sum());
                buffer.release(events.size());
                events.clear();
                // Whatever ended it, the next Event starts another.
                thread = null;
            } finally {
                lock.unlock();
            }
        }
    }

    /** The next Event, null at the end; writes series that are due meanwhile. */
    private @Nullable WaitingEvent next() throws InterruptedException {
        while (true) {
            if (abandoned) {
                throw new InterruptedException();
            }
            long untilDue = series.nanosUntilDue();
            if (untilDue <= 0) {
                flush(false);
                continue;
            }
            lock.lockInterruptibly();
            try {
                WaitingEvent event = poll();
                if (event != null || ending) {
                    return event;
                }
                if (untilDue == Long.MAX_VALUE) {
                    changed.await();
                } else {
                    long ignored = changed.awaitNanos(untilDue);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @GuardedBy("lock")
    private @Nullable WaitingEvent poll() {
        Iterator<WaitingEvent> first = events.values().iterator();
        if (!first.hasNext()) {
            return null;
        }
        WaitingEvent event = first.next();
        first.remove();
        return event;
    }

    private void flush(boolean all) throws InterruptedException {
        try {
            series.flush(all);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            metrics.failed();
            log.error("Repetitions of Events could not be recorded: {}", FailureMessage.of(e), e);
        }
    }

    private void write(WaitingEvent event) throws InterruptedException {
        try {
            series.record(event.event(), event.count(), event.last());
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            metrics.failed();
            log.error(
                    "Event {} about {} could not be recorded: {}",
                    event.event().reason(),
                    event.event().object(),
                    FailureMessage.of(e),
                    e);
        } finally {
            buffer.release(1);
        }
    }
}

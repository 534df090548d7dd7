package io.controllermanager.recorder;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the Events of some objects, one after the other, on a thread that starts with the first of them: so the Events
 * of one object keep their order while several lanes write.
 */
final class EventLane {

    private static final Logger log = LoggerFactory.getLogger(EventBroadcaster.class);

    private final String name;
    private final EventBuffer buffer;
    private final EventSeries series;
    private final LongConsumer onDrop;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<RecordedEvent> events = new ArrayDeque<>();
    private @Nullable Thread thread;
    private boolean ending;
    private volatile boolean abandoned;

    EventLane(String name, EventBuffer buffer, EventSeries series, LongConsumer onDrop) {
        this.name = name;
        this.buffer = buffer;
        this.series = series;
        this.onDrop = onDrop;
    }

    /** Takes an Event, for which a place in the buffer has been reserved; returns false if the lane ends. */
    boolean offer(RecordedEvent event) {
        lock.lock();
        try {
            if (ending) {
                buffer.release(1);
                return false;
            }
            events.add(event);
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
            RecordedEvent event = next();
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
                onDrop.accept(events.size());
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
    private @Nullable RecordedEvent next() throws InterruptedException {
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
                RecordedEvent event = events.poll();
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

    private void flush(boolean all) throws InterruptedException {
        try {
            series.flush(all);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            onDrop.accept(1);
            log.error("A series of Events could not be recorded", e);
        }
    }

    private void write(RecordedEvent event) throws InterruptedException {
        try {
            series.record(event);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            onDrop.accept(1);
            log.error("An Event could not be recorded", e);
        } finally {
            buffer.release(1);
        }
    }
}

package io.controllermanager.informer.internal.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureCount;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.Waiters;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands events to one subscriber, in order, on a thread of its own that starts with the first event. What waits is
 * unbounded, since nothing may be lost and nobody else held up.
 *
 * @param <T> the object's class
 */
public final class Delivery<T> implements Subscription {

    private static final Logger log = LoggerFactory.getLogger(Delivery.class);

    private final String threadName;
    private final String name;
    private final Clock clock;
    private final EventSubscriber<T> subscriber;
    private final Consumer<Delivery<T>> resync;
    private final Consumer<Delivery<T>> onClose;
    private final Object lock = new Object();
    private final Object delivering = new Object();
    private final AtomicLong delivered = new AtomicLong();
    private final FailureCount failures = new FailureCount();
    private final Waiters waiters = new Waiters();
    private volatile boolean synced;
    private volatile Timer.@Nullable Cancellable resyncTimer;

    @GuardedBy("lock")
    private final Deque<Batch> waiting = new ArrayDeque<>();

    /** Entries of all batches that are not taken yet. */
    @GuardedBy("lock")
    private int backlog;

    /** Since when the entry has waited that is being delivered, null if none is. */
    @GuardedBy("lock")
    private @Nullable Long currentSince;

    @GuardedBy("lock")
    private @Nullable Thread thread;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * What was offered at one moment. All subscribers share the list, so that a waiting event costs nothing more.
     *
     * @param since when
     */
    private record Batch(Iterator<?> entries, long since) {}

    /** What is in the buffer beside events. */
    public enum Marker {
        /** Everything of the initial list comes before this. */
        SYNCED,
        /** Every object is to be delivered once more. */
        RESYNC
    }

    public Delivery(
            String threadName,
            String name,
            Clock clock,
            EventSubscriber<T> subscriber,
            Consumer<Delivery<T>> resync,
            Consumer<Delivery<T>> onClose) {
        this.threadName = threadName;
        this.name = name;
        this.clock = clock;
        this.subscriber = subscriber;
        this.resync = resync;
        this.onClose = onClose;
    }

    public void offer(List<ResourceEvent<T>> events) {
        enqueue(events);
    }

    public void offer(Marker marker) {
        enqueue(List.of(marker));
    }

    public void resyncTimer(Timer.Cancellable next) {
        resyncTimer = next;
    }

    private void enqueue(List<?> entries) {
        if (entries.isEmpty()) {
            return;
        }
        long now = clock.nanoTime();
        synchronized (lock) {
            if (closed) {
                return;
            }
            boolean asleep = waiting.isEmpty();
            waiting.add(new Batch(entries.iterator(), now));
            backlog += entries.size();
            if (thread == null) {
                begin();
            } else if (asleep) {
                lock.notifyAll();
            }
        }
    }

    @GuardedBy("lock")
    private void begin() {
        Thread beginning = new Thread(this::run, threadName);
        beginning.setDaemon(true);
        try {
            beginning.start();
            thread = beginning;
        } catch (OutOfMemoryError e) {
            // The system gives no more threads. What waits is delivered with the next event.
            log.error("Subscriber {} cannot be told: {}", threadName, FailureMessage.of(e), e);
        }
    }

    @Override
    public boolean hasSynced() {
        return synced;
    }

    @Override
    public Registration whenSynced(Runnable told) {
        return waiters.add(this::hasSynced, told);
    }

    public HandlerStatus status() {
        synchronized (lock) {
            Long since = currentSince == null && !waiting.isEmpty()
                    ? (Long) waiting.element().since()
                    : currentSince;
            // Never zero while there is one, also where the clock stands still.
            Duration lag = since == null ? Duration.ZERO : Duration.ofNanos(Math.max(1, clock.nanoTime() - since));
            return new HandlerStatus(name, synced, backlog, lag, delivered.get(), failures.total());
        }
    }

    /** Forgets what waits and ends the thread; the next event starts another. */
    public void reset() {
        Thread ending;
        synchronized (lock) {
            ending = thread;
            thread = null;
            waiting.clear();
            backlog = 0;
            currentSince = null;
            synced = false;
            lock.notifyAll();
        }
        if (ending != null && ending != Thread.currentThread()) {
            ending.interrupt();
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        reset();
        onClose.accept(this);
        Timer.Cancellable resyncing = resyncTimer;
        if (resyncing != null) {
            resyncing.cancel();
        }
    }

    private void run() {
        // A thread that is ending may still be within the subscriber, which must not be called twice at once.
        synchronized (delivering) {
            Object entry = next();
            while (entry != null) {
                try {
                    deliver(entry);
                } catch (Throwable e) {
                    // Checked ones as well, which a subscriber in another language need not declare.
                    tell(entry, e);
                }
                entry = next();
            }
        }
    }

    /** The next entry, null when this thread is to end. */
    private @Nullable Object next() {
        synchronized (lock) {
            while (thread == Thread.currentThread()) {
                currentSince = null;
                Batch first = waiting.peek();
                if (first != null) {
                    Object entry = first.entries().next();
                    currentSince = first.since();
                    backlog--;
                    if (!first.entries().hasNext()) {
                        waiting.remove();
                    }
                    return entry;
                }
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    // Ends the loop if this came from reset(); a subscriber's own business otherwise.
                }
            }
            return null;
        }
    }

    @SuppressWarnings("unchecked") // what is no marker is an event of this type
    private void deliver(Object entry) {
        if (entry == Marker.SYNCED) {
            markSynced();
        } else if (entry == Marker.RESYNC) {
            resync.accept(this);
        } else {
            delivered.incrementAndGet();
            subscriber.onEvent((ResourceEvent<T>) entry);
        }
    }

    private void tell(Object entry, Throwable failure) {
        try {
            long count = failures.next();
            if (count > 0) {
                log.atError()
                        .addKeyValue("subscriber", threadName)
                        .setCause(failure)
                        .log(
                                "Subscriber {} failed (failures so far: {}), and {} is not delivered again: {}",
                                threadName,
                                count,
                                entry instanceof ResourceEvent<?> event
                                        ? "the event of " + IndexedStore.describe(event.object())
                                        : entry,
                                FailureMessage.of(failure));
            }
        } catch (Throwable e) {
            // Its message throws, or there is no memory to tell of it: the next event must be delivered all the same.
            log.error("Subscriber {} failed", threadName);
        }
    }

    private void markSynced() {
        synchronized (lock) {
            if (thread == Thread.currentThread()) {
                synced = true;
            }
        }
        waiters.look();
    }
}

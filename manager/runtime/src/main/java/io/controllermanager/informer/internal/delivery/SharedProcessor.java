package io.controllermanager.informer.internal.delivery;

import io.controllermanager.event.ResourceEvent;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Hands an informer's events to all its subscribers, and has them told of every object again at their resync periods; as
 * client-go's {@code sharedProcessor}. Its informer's lock keeps the order of events; the rest is safe for use by several
 * threads.
 *
 * @param <T> the object's class
 */
public final class SharedProcessor<T> {

    private final String threadPrefix;
    private final Clock clock;
    private final Timer timer;
    private final Consumer<Delivery<T>> resync;
    private final List<Delivery<T>> deliveries = new CopyOnWriteArrayList<>();
    private volatile boolean synced;

    /**
     * Without subscribers.
     *
     * @param threadPrefix of the threads that deliver
     * @param resync offers every object to one subscriber; called on its thread, since it may take a while
     */
    public SharedProcessor(String threadPrefix, Clock clock, Timer timer, Consumer<Delivery<T>> resync) {
        this.threadPrefix = threadPrefix;
        this.clock = clock;
        this.timer = timer;
        this.resync = resync;
    }

    /**
     * Adds a subscriber.
     *
     * @param present what it is told first
     */
    public Delivery<T> add(
            String name, EventSubscriber<T> subscriber, Duration period, List<ResourceEvent<T>> present) {
        Delivery<T> delivery = new Delivery<>(threadPrefix + name, name, clock, subscriber, resync, deliveries::remove);
        delivery.offer(present);
        if (synced) {
            delivery.offer(Delivery.Marker.SYNCED);
        }
        deliveries.add(delivery);
        if (!period.isZero() && !period.isNegative()) {
            scheduleResync(delivery, period);
        }
        return delivery;
    }

    private void scheduleResync(Delivery<T> delivery, Duration period) {
        delivery.resyncTimer(timer.schedule(period, () -> {
            if (deliveries.contains(delivery)) {
                if (synced) {
                    delivery.offer(Delivery.Marker.RESYNC);
                }
                scheduleResync(delivery, period);
            }
        }));
    }

    public void distribute(List<ResourceEvent<T>> events) {
        deliveries.forEach(delivery -> delivery.offer(events));
    }

    /** All of the initial state has been distributed. */
    public void synced() {
        synced = true;
        deliveries.forEach(delivery -> delivery.offer(Delivery.Marker.SYNCED));
    }

    /** Forgets what waits; subscribers stay. */
    public void reset() {
        synced = false;
        deliveries.forEach(Delivery::reset);
    }

    public boolean hasSynced() {
        return synced;
    }

    public boolean isEmpty() {
        return deliveries.isEmpty();
    }

    public List<HandlerStatus> statuses() {
        return deliveries.stream().map(Delivery::status).toList();
    }
}

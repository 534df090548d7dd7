package io.controllermanager.event;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings events from outside Kubernetes to one controller: a webhook was called, a device reports, a poll found a
 * difference. What an event is, is up to the two ends; a mapping function turns it into the keys to reconcile. As
 * controller-runtime's {@code source.Channel}. Safe for use by several threads.
 *
 * @param <E> what is sent
 */
public final class EventChannel<E> {

    /** How many events a channel holds unless said otherwise: controller-runtime's {@code defaultBufferSize}. */
    public static final int DEFAULT_CAPACITY = 1024;

    private final int capacity;

    @GuardedBy("this")
    private final Queue<E> held = new ArrayDeque<>();

    @GuardedBy("this")
    private @Nullable Consumer<E> receiver;

    /** Holds up to {@link #DEFAULT_CAPACITY} events for a controller that has not started yet. */
    public EventChannel() {
        this(DEFAULT_CAPACITY);
    }

    /**
     * With another capacity.
     *
     * @param capacity how many events are held for a controller that has not started yet, 0 for none
     * @throws IllegalArgumentException if negative
     */
    public EventChannel(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity must not be negative, but is " + capacity);
        }
        this.capacity = capacity;
    }

    /**
     * Sends an event. It is mapped on the calling thread, which never waits; how many events for one key are sent while
     * that key waits makes no difference.
     *
     * @return whether it was taken; false if no controller receives and the channel is full
     */
    public synchronized boolean send(E event) {
        if (receiver != null) {
            receiver.accept(event);
            return true;
        }
        return held.size() < capacity && held.add(event);
    }

    /**
     * Hands what was held, and every event from now on, to a receiver until that is closed. For the host.
     *
     * @throws IllegalStateException if the channel has a receiver
     */
    public synchronized Registration receive(Consumer<E> newReceiver) {
        if (receiver != null) {
            throw new IllegalStateException("the channel feeds another controller already");
        }
        receiver = newReceiver;
        for (E event = held.poll(); event != null; event = held.poll()) {
            newReceiver.accept(event);
        }
        return this::end;
    }

    private synchronized void end() {
        receiver = null;
    }
}

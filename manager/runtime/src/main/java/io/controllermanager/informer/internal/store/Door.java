package io.controllermanager.informer.internal.store;

import io.controllermanager.client.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one door to what an informer holds. What a reflector brings, an own write, a shard that comes or goes and the answer to
 * a probe each {@link #enter}. So changes of the store and their events keep one order. Partitions, own writes and the
 * store's writers are behind the door: they are guarded by its lock, and lock nothing.
 */
public final class Door {

    private final Object lock = new Object();
    private final Waiters waiters = new Waiters();

    /** Used with the lock held. */
    private final List<Runnable> afterwards = new ArrayList<>();

    /** Makes a change with the lock held, then tells those whose waiting is over without it. Not for use behind the door. */
    public void enter(Runnable change) {
        assert !isEntered() : "behind the door already";
        List<Runnable> rest;
        synchronized (lock) {
            change.run();
            rest = List.copyOf(afterwards);
            afterwards.clear();
        }
        rest.forEach(Runnable::run);
        waiters.look();
    }

    /** Asks something, or changes something that nobody waits for, with the lock held. */
    public <R> R ask(Supplier<R> question) {
        synchronized (lock) {
            return question.get();
        }
    }

    /** From behind the door: has something done as soon as the lock is free, such as what may come back through the door. */
    public void afterwards(Runnable task) {
        afterwards.add(task);
    }

    /** Whether this thread is behind the door. */
    public boolean isEntered() {
        return Thread.holdsLock(lock);
    }

    /** See {@code HostInformer.when}. */
    public Registration when(BooleanSupplier reached, Runnable told) {
        return waiters.add(reached, told);
    }

    /** Tells those whose waiting is over, since something has changed that is not behind the door. */
    public void look() {
        waiters.look();
    }
}

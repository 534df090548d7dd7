package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The one door to what an informer holds. What a reflector brings, an own write, a shard that comes or goes and the answer to
 * a probe each {@link #enter}. So changes of the store and their events keep one order. Partitions, own writes and the
 * store's writers are behind the door: they are guarded by its lock, and lock nothing.
 */
final class Door {

    private final Object lock = new Object();
    private final Waiters waiters = new Waiters();

    @GuardedBy("lock")
    private final List<Runnable> afterwards = new ArrayList<>();

    /** Makes a change with the lock held, then tells those whose waiting is over without it. Not for use behind the door. */
    void enter(Runnable change) {
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
    <R> R ask(Supplier<R> question) {
        synchronized (lock) {
            return question.get();
        }
    }

    /** From behind the door: has something done as soon as the lock is free, such as what may come back through the door. */
    void afterwards(Runnable task) {
        synchronized (lock) {
            afterwards.add(task);
        }
    }

    /** See {@link HostInformer#when}. */
    Registration when(BooleanSupplier reached, Runnable told) {
        return waiters.add(reached, told);
    }

    /** Tells those whose waiting is over, since something has changed that is not behind the door. */
    void look() {
        waiters.look();
    }

    /**
     * What a reflector is to tell: all of it enters here.
     *
     * @param sink behind the door
     * @param open whether it takes anything yet: a reflector that has been stopped may have one more thing to say
     */
    <T extends KubernetesObject> Reflector.Sink<T> entrance(Reflector.Sink<T> sink, BooleanSupplier open) {
        return new Entrance<>(this, sink, open);
    }

    private record Entrance<T extends KubernetesObject>(Door door, Reflector.Sink<T> sink, BooleanSupplier open)
            implements Reflector.Sink<T> {

        private void enter(Runnable change) {
            door.enter(() -> {
                if (open.getAsBoolean()) {
                    change.run();
                }
            });
        }

        @Override
        public Predicate<T> listing() {
            return door.ask(sink::listing);
        }

        @Override
        public void replace(Map<String, T> objects, String version) {
            enter(() -> sink.replace(objects, version));
        }

        @Override
        public void put(T object) {
            enter(() -> sink.put(object));
        }

        @Override
        public void remove(T object) {
            enter(() -> sink.remove(object));
        }

        @Override
        public void passed(String version) {
            enter(() -> sink.passed(version));
        }

        @Override
        public void restored() {
            enter(sink::restored);
        }

        @Override
        public long written() {
            return door.ask(sink::written);
        }
    }
}

package io.controllermanager.informer.internal.store;

import io.controllermanager.client.Registration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Those who wait until something is the case. Each is told once: at once if it is the case already, else by the thread that
 * calls {@link #look} when it is. Safe for use by several threads; nobody is told under a lock of this class.
 */
public final class Waiters {

    private final List<Waiter> waiting = new CopyOnWriteArrayList<>();

    private record Waiter(BooleanSupplier reached, Runnable told) {}

    public Waiters() {}

    /**
     * Waits for several things at a time: tells once when each of them has told, at once if there are none.
     *
     * @param things each is waited for as by {@code HostInformer.whenSynced}
     * @return ends the waiting
     */
    public static Registration all(List<Function<Runnable, Registration>> things, Runnable told) {
        AtomicInteger missing = new AtomicInteger(things.size() + 1);
        Runnable one = () -> {
            if (missing.decrementAndGet() == 0) {
                told.run();
            }
        };
        List<Registration> waiting =
                things.stream().map(thing -> thing.apply(one)).toList();
        one.run();
        return () -> waiting.forEach(Registration::close);
    }

    /**
     * Adds one.
     *
     * @param reached whether it is the case; reads what was written before {@link #look} is called
     * @param told called once; must be brief and must not block
     * @return ends the waiting
     */
    public Registration add(BooleanSupplier reached, Runnable told) {
        Waiter waiter = new Waiter(reached, told);
        waiting.add(waiter);
        look(waiter);
        return () -> waiting.remove(waiter);
    }

    /** Tells those who have waited long enough; to be called after each change. */
    public void look() {
        waiting.forEach(this::look);
    }

    private void look(Waiter waiter) {
        if (waiter.reached().getAsBoolean() && waiting.remove(waiter)) {
            waiter.told().run();
        }
    }
}

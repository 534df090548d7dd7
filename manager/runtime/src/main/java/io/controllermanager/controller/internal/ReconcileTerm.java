package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Result;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * By what right reconciles run, such as leadership from its acquisition to its loss. Workers are stopped when it ends; this is
 * for the moment in between, as when a suspended process wakes up with a key in a worker's hands. Asked on a worker's thread;
 * must be quick and safe for use by several threads.
 */
@FunctionalInterface
public interface ReconcileTerm {

    /** Every reconcile may run at any time, and no other process works on any shard. */
    static ReconcileTerm always() {
        return new ReconcileTerm() {
            @Override
            public boolean lasts(int shard) {
                return true;
            }

            @Override
            public boolean moves() {
                return false;
            }
        };
    }

    /**
     * Whether a reconcile may begin now. Asked after a worker has taken a key and just before it calls the reconciler.
     *
     * @param shard that of its key, 0 where the controller's keys are not divided
     */
    boolean lasts(int shard);

    /**
     * Whether another process may work on a shard while it is closed here. Its keys are remembered meanwhile, and whoever opens
     * it has all of it looked at. Where no other process does, keys are queued.
     */
    default boolean moves() {
        return true;
    }

    /** A shard is about to be opened, which was prepared in the term of that number. */
    default void open(int shard, long number) {}

    /** The shard was closed, as its term does not last; told on a worker's thread, after that. */
    default void lapsed(int shard) {}

    /**
     * Calls the reconciler, on the thread of the caller; what it writes is written by this right.
     *
     * @param shard as for {@link #lasts}
     * @return what the reconciler returns
     */
    default @Nullable Result within(int shard, Supplier<@Nullable Result> reconcile) {
        return reconcile.get();
    }
}

package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.Controller;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Does a controller's work, from one start of the controller to its stop. What is done by shards names the shard, 0 for a
 * controller that has one. {@link ShardWork} decides when. The defaults are those of a controller that brings its own workers,
 * which is one of one shard and has no sources.
 */
public interface ControllerRunner {

    /**
     * Makes the reconciler and subscribes to its sources; nothing is reconciled yet.
     *
     * @throws InterruptedException if closed meanwhile
     */
    default void prepare() throws InterruptedException {}

    /**
     * Lets reconciles of a shard begin, and has everything of it looked at. Never blocks. One thread calls this, {@link #close}
     * and {@link #interrupt}.
     *
     * @param term the elector's number of the term in which this was prepared
     */
    void open(int shard, long term);

    /** Whether what the caches hold of a shard that is open is still to be queued. */
    default boolean isRequeueing(int shard) {
        return false;
    }

    /** Lets no more reconciles of a shard begin; those that run go on. Never blocks. */
    default void close(int shard) {}

    /** Ends a shard's work at once, since leadership is lost. Never blocks. */
    void interrupt(int shard);

    /** Whether nothing of a shard runs; does not say whether more will. */
    boolean isIdle(int shard);

    /** Whether a shard may be left to another process, and be worked on here again later. */
    default boolean mayMove(int shard) {
        return false;
    }

    /** Waits for what runs of a shard that was closed, and interrupts it at the limit; returns whether all has ended. */
    boolean drain(int shard, Duration limit) throws InterruptedException;

    /** Gives up everything, for good. */
    void close();

    /** Whether it has worked and can never work again in this process. */
    default boolean isShutDown() {
        return false;
    }

    /**
     * Changes how many keys are reconciled at once.
     *
     * @throws IllegalStateException if it brings its own workers
     */
    default void resize(int workers) {
        throw new IllegalStateException("it brings its own workers, whose number cannot be changed");
    }

    /**
     * The controller on the host's workers. Null before it is prepared, and for one that brings its own workers: that cannot
     * be paused or resized, nor work a second time.
     */
    default @Nullable Controller controller() {
        return null;
    }
}

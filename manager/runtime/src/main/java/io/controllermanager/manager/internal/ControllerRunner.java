package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.informer.internal.HostInformer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Does a controller's work, from one start of the controller to its stop. What is done by shards names the shard, 0 for a
 * controller that has one. {@link ShardWork} decides when. The defaults are those of a controller that brings its own workers,
 * which is one of one shard.
 */
public interface ControllerRunner {

    /**
     * Makes the reconciler and subscribes to its sources; nothing is reconciled yet.
     *
     * @throws InterruptedException if closed meanwhile
     */
    default void prepare() throws InterruptedException {}

    /** Tells once when everything that it reads from is filled, but for what is held by shards. Ends when this is closed. */
    default void whenSynced(Runnable told) {
        told.run();
    }

    /** What it reads from, as far as the host was asked for it. */
    Collection<HostInformer<?>> informers();

    /** Whether caches hold the shard's objects for it, and other shards' not. */
    default boolean holds(int shard) {
        return false;
    }

    /** Has the caches that are held by shards hold the shard's objects, if they do not. */
    default void hold(int shard) {}

    /**
     * Drops the shard's objects soon, in the background: that takes longer the more there are, and other shards may have to
     * be closed meanwhile. Those who hold a shard are counted, so that it may be held again before.
     */
    default void drop(int shard) {}

    /** Tells once, on any thread, when the shard's objects are held. */
    default Registration whenFilled(int shard, Runnable told) {
        told.run();
        return () -> {};
    }

    /** Tells once, on any thread, when what it reads from has come as far as another process had written of the shard. */
    default Registration whenPassed(int shard, Map<String, String> versions, Runnable told) {
        told.run();
        return () -> {};
    }

    /**
     * Lets reconciles of a shard begin, and has everything of it looked at. Never blocks. One thread calls this, {@link #close}
     * and {@link #interrupt}.
     *
     * @param term the elector's number of the term in which this was prepared
     */
    void open(int shard, long term);

    /** Whether reconciles of a shard may begin. */
    default boolean isOpen(int shard) {
        return true;
    }

    /** Whether what the caches hold of a shard that is open is still to be queued. */
    default boolean isRequeueing(int shard) {
        return false;
    }

    /** Has every object looked at once more, behind live changes. */
    default void resync() {}

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

    /** How many objects of a shard are held of the type that it is for; 0 where its cache is held whole. */
    default int objects(int shard) {
        return 0;
    }

    /** Gives up everything, for good. */
    void close();

    /** Why no object has the key, as the end of a sentence about the controller; null if one may have it. */
    default @Nullable String lackOf(Request key) {
        return null;
    }

    /** Whether it has worked and can never work again in this process. */
    default boolean isShutDown() {
        return false;
    }

    /** Lets no reconcile of any shard begin, or lets them begin again. Only for one that has a {@link #controller}. */
    default void pause(boolean paused) {}

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

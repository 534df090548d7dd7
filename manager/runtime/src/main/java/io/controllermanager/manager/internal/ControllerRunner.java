package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.store.Waiters;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Does a controller's work, from one start of the controller to its stop. {@link HostedController} decides when. The defaults
 * are those of a controller that brings its own workers.
 */
public interface ControllerRunner {

    /**
     * Makes the reconciler and subscribes to its sources; nothing is reconciled yet.
     *
     * @throws InterruptedException if closed meanwhile
     */
    default void prepare() throws InterruptedException {}

    /** Tells once when everything that it reads from is filled. The waiting ends when this is closed. */
    default void whenSynced(Runnable told) {
        told.run();
    }

    /** What it reads from, as far as the host was asked for it. */
    Collection<HostInformer<?>> informers();

    /** Tells once when everything that it reads from has come as far as another process had written. */
    default Registration whenPassed(Map<String, String> versions, Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        informers().forEach(informer -> caches.add(one -> informer.whenPassed(versions, one)));
        return Waiters.all(caches, told);
    }

    /**
     * Begins to work. After an interruption every object is looked at again. Never blocks. One thread calls this, {@link
     * #retire} and {@link #interrupt}.
     */
    void open();

    /** Whether what its caches hold is still to be queued: during a standby, and after it until that is done. */
    default boolean isRequeueing() {
        return false;
    }

    /** Has every object looked at once more, behind live changes. */
    default void resync() {}

    /** Ends the work at once, since leadership is lost, and stands by. Never blocks. */
    void interrupt();

    /** Whether none of its work runs; does not say whether more will. */
    boolean hasEnded();

    /** Takes no more keys, and lets running reconciles go on. Never blocks. */
    default void retire() {}

    /** Takes no more keys and waits for running reconciles, which are interrupted at the limit; returns whether all have ended. */
    boolean drain(Duration limit) throws InterruptedException;

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

package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a controller that was written for another library takes part in the host. This is the only thing that the host knows
 * of such a controller. The defaults are those of a controller that was written for this host.
 */
public interface ControllerAdapter {

    /** A controller that was written for this host. */
    ControllerAdapter NONE = new ControllerAdapter() {};

    /** Whether it may begin. The host asks again and again until the answer is yes. */
    default boolean ready() {
        return true;
    }

    /**
     * What does its work, for a controller that brings its own workers. Null if the host's workers call its reconciler.
     *
     * @param ended told, with the reason, when the controller has ended by itself and cannot run again
     */
    default @Nullable ControllerRunner runner(Consumer<String> ended) {
        return null;
    }

    /**
     * Moves the keys that the controller collects by itself into the host's queue, until closed.
     *
     * @param exists whether any informer holds an object of that name
     * @param queue takes a key and its priority in a {@link io.controllermanager.workqueue.internal.WorkQueue}
     */
    default Registration feed(Predicate<Request> exists, BiConsumer<Request, Integer> queue) {
        return () -> {};
    }

    /** Moves every key that it has collected so far once more, behind live changes. */
    default void replay(BiConsumer<Request, Integer> queue) {}

    /** Whether it reads from informers that it did not ask the host for. */
    default boolean readsOtherInformers() {
        return false;
    }
}

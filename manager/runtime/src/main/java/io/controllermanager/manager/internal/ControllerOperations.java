package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * What an operator can do with one controller while the others work. Safe for use by several threads.
 *
 * <p>Each method that names a controller throws {@link NoSuchElementException} if there is none of that name, and {@link
 * IllegalStateException}, with the reason, if that cannot be done with it now.
 */
public interface ControllerOperations {

    /** How each controller is, disabled ones included, in the order of registration. */
    List<ControllerStatus> controllers();

    /**
     * Has a controller take no more keys until it is resumed. Running reconciles end undisturbed, keys go on queueing, and
     * it stays paused when leadership comes or goes; a stop of the controller or the host ends the pause. One with a Lease of
     * its own keeps that if it has it, and else leaves it to others; a hand-over to another process that has begun is gone
     * on with. Not for one that brings its own workers.
     */
    void pause(String name);

    /** Ends a controller's pause; does nothing if it is not paused. */
    void resume(String name);

    /**
     * Changes how many keys a controller reconciles at once, until it is stopped. Running reconciles end undisturbed. Not
     * for one that brings its own workers.
     *
     * @throws IllegalArgumentException if workers is less than 1
     */
    void resize(String name, int workers);

    /**
     * Has a controller reconcile a key before all others, whatever delay it waits for; on a standby, once that leads. Not
     * for one that brings its own queue, nor for a key that an annotation of its object pauses, nor for a key of a shard that this process does not work on, or of a namespace that may
     * not be read.
     *
     * @throws IllegalArgumentException if no object of the type that the controller is for can have the key
     * @throws NoSuchElementException also if none has it
     */
    void reconcileNow(String name, Request key);

    /** What is in a controller's queue, at most 100 keys of each kind. */
    QueueSnapshot<Request> queue(String name);

    /** A controller's newest failures: the newest of each of the ten keys that failed last, the newest first. */
    List<ControllerSnapshot.Failure> failures(String name);

    /** Why a key was reconciled, what that did, and what it waits for, as far as this process knows. */
    KeyExplanation explain(String name, Request key);

    /** Keys of a controller that contain a text and were reconciled here lately, the last one first; 100 at most. */
    List<Request> search(String name, String text);

    /**
     * Stops one controller: running reconciles may end until the shutdown timeout, then its informers are given back, and
     * stop if nobody else needs them. Returns when that is done; at once for one that is switched off.
     */
    void stopController(String name);

    /**
     * Starts one controller from the beginning that was stopped or has failed. Waits, up to the shutdown timeout, for what still
     * runs of one that has failed.
     */
    void startController(String name);
}

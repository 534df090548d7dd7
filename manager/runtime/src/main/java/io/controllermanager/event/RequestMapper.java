package io.controllermanager.event;

import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Set;

/**
 * Turns an event into the keys of the objects that must be reconciled because of it. Called on the informer's delivery
 * thread: brief, no blocking. An update is mapped from both its old and its new state.
 *
 * @param <T> the class of the object that changed
 */
@FunctionalInterface
public interface RequestMapper<T> {

    /** The keys to reconcile, none if the object concerns nobody. */
    Set<Request> map(T object);
}

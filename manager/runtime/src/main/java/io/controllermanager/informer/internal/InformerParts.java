package io.controllermanager.informer.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;

/**
 * What an informer's partitions have in common.
 *
 * @param <T> the objects' class
 * @param label the informer's, the same in every process that is configured alike
 * @param lock held by whoever changes the store or tells of changes
 * @param waiters to be looked at after each change, without the lock
 * @param versions of what this process writes
 * @param reflectors makes reflectors
 */
record InformerParts<T extends KubernetesObject>(
        String label,
        Object lock,
        IndexedStore<T> store,
        SharedProcessor<T> processor,
        Waiters waiters,
        WrittenVersions versions,
        Clock clock,
        Reflectors<T> reflectors) {

    /** Makes reflectors. */
    @FunctionalInterface
    interface Reflectors<T extends KubernetesObject> {

        /** One that has not been started. */
        Reflector<T> make(Portion portion, Reflector.Sink<T> sink);
    }
}

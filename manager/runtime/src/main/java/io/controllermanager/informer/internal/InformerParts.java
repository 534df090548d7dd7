package io.controllermanager.informer.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.util.function.BooleanSupplier;

/**
 * What an informer's partitions have in common.
 *
 * @param <T> the objects' class
 * @param label the informer's, the same in every process that is configured alike
 * @param door before all of this
 * @param versions of what this process writes
 * @param reflectors makes reflectors
 */
record InformerParts<T extends KubernetesObject>(
        String label,
        Door door,
        IndexedStore<T> store,
        SharedProcessor<T> processor,
        WrittenVersions versions,
        Clock clock,
        Reflectors<T> reflectors) {

    /** Makes reflectors. */
    @FunctionalInterface
    interface Reflectors<T extends KubernetesObject> {

        /**
         * One that has not been started.
         *
         * @param sink behind the door
         * @param open whether it takes anything yet
         */
        Reflector<T> make(Portion portion, Reflector.Sink<T> sink, BooleanSupplier open);
    }
}

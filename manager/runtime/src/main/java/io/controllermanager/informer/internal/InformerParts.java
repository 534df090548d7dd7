package io.controllermanager.informer.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * What an informer's partitions have in common.
 *
 * @param <T> the objects' class
 * @param label the informer's, the same in every process that is configured alike
 * @param door before all of this
 * @param versions the newest of what this process has written, by label
 * @param reflectors makes reflectors that have not been started, whose sinks are behind the door
 */
record InformerParts<T extends KubernetesObject>(
        String label,
        Door door,
        IndexedStore<T> store,
        SharedProcessor<T> processor,
        Map<String, Long> versions,
        Clock clock,
        BiFunction<Portion, Reflector.Sink<T>, Reflector<T>> reflectors) {}

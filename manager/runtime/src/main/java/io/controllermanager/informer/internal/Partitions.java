package io.controllermanager.informer.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer, each with its reflector, and what they answer for shards. Here it is held whole, in one
 * partition or in one for each namespace; {@link ShardPartitions} hold some shards. Guarded by the informer's lock, but for
 * what is said to be for any thread.
 *
 * @param <T> the objects' class
 */
class Partitions<T extends KubernetesObject> {

    /**
     * What an informer's partitions have in common.
     *
     * @param <T> the objects' class
     * @param label the informer's, the same in every process that is configured alike
     * @param door before all of this
     * @param versions the newest of what this process has written, by label
     * @param reflectors makes reflectors that have not been started, whose sinks are behind the door
     */
    record Parts<T extends KubernetesObject>(
            String label,
            Door door,
            IndexedStore<T> store,
            SharedProcessor<T> processor,
            Map<String, Long> versions,
            Clock clock,
            BiFunction<Portion, Reflector.Sink<T>, Reflector<T>> reflectors) {}

    final Parts<T> parts;

    /** Those to read one by one, or null alone for all at once. */
    final Collection<@Nullable String> namespaces;

    private volatile List<Partition<T>> whole = List.of();

    /** None at first; of all namespaces if none is given. */
    Partitions(Set<String> namespaces, Parts<T> parts) {
        this.namespaces = namespaces.isEmpty() ? Collections.singleton(null) : Collections.unmodifiableSet(namespaces);
        this.parts = parts;
    }

    /** Makes partitions and starts their reflectors. */
    void start() {
        whole = namespaces.stream()
                .map(namespace -> new Partition<>(parts, Portion.of(namespace), parts.store(), this::look))
                .toList();
        whole.forEach(partition -> partition.reflector().start(""));
    }

    /** Notes whether all is filled, after each list. */
    void look() {
        if (!parts.processor().hasSynced() && whole.stream().allMatch(Partition::isListed)) {
            parts.processor().synced();
        }
    }

    /**
     * Ends all partitions.
     *
     * @return their reflectors, to be stopped without the lock
     */
    List<Reflector<T>> end() {
        List<? extends Partition<T>> ending = now();
        whole = List.of();
        ending.forEach(Partition::end);
        return ending.stream().<Reflector<T>>map(Partition::reflector).toList();
    }

    /** Those that there are now. By any thread. */
    List<? extends Partition<T>> now() {
        return whole;
    }

    /** Reflectors beside theirs that list what has come to be held, and end with that. By any thread. */
    List<Reflector<T>> lists() {
        return List.of();
    }

    /** Whether all that the informer is to hold has been stored. By any thread. */
    boolean areFilled() {
        return parts.processor().hasSynced();
    }

    /** See {@link HostInformer#lacking}. By any thread. */
    Set<String> lacking() {
        return whole.stream()
                .filter(partition -> !partition.isListed())
                .flatMap(partition -> Stream.ofNullable(partition.namespace))
                .collect(Collectors.toSet());
    }

    /** See {@link HostInformer#hasPassed}. */
    boolean hasPassed(Map<String, String> versions) {
        return whole.stream().allMatch(partition -> partition.hasPassed(versions));
    }

    /** What is held of the whole, for the informer's label in its status; empty for all. By any thread. */
    String extent() {
        return "";
    }

    // What HostInformer says of shards; what reads is for any thread.

    boolean isHeldWhole() {
        return true;
    }

    void hold(int shard) {}

    void drop(int shard) {}

    List<T> list(int shard) {
        return parts.store().list();
    }

    int size(int shard) {
        return 0;
    }

    /** Tells whether what {@link HostInformer#whenPassed(int, Map, Runnable)} waits for is the case. */
    BooleanSupplier passes(int shard, Map<String, String> versions) {
        return () -> hasPassed(versions);
    }
}

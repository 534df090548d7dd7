package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.SharedProcessor;
import io.controllermanager.informer.internal.reflector.Reflector;
import io.controllermanager.informer.internal.reflector.SampledSize;
import io.controllermanager.informer.internal.store.Door;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
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
public class Partitions<T extends KubernetesObject> {

    /**
     * What an informer's partitions have in common.
     *
     * @param <T> the objects' class
     * @param label the informer's, the same in every process that is configured alike
     * @param door before all of this
     * @param versions the newest of what this process has written, by label
     * @param reflectors makes reflectors that have not been started, whose sinks are behind the door
     */
    public record Parts<T extends KubernetesObject>(
            String label,
            Door door,
            IndexedStore<T> store,
            SharedProcessor<T> processor,
            Map<String, Long> versions,
            Clock clock,
            BiFunction<Portion, Reflector.Sink<T>, Reflector<T>> reflectors) {}

    public final Parts<T> parts;

    /** Those to read one by one, or null alone for all at once. */
    public final Collection<@Nullable String> namespaces;

    private volatile List<Partition<T>> whole = List.of();

    /** None at first; of all namespaces if none is given. */
    public Partitions(Set<String> namespaces, Parts<T> parts) {
        this.namespaces = namespaces.isEmpty() ? Collections.singleton(null) : Collections.unmodifiableSet(namespaces);
        this.parts = parts;
    }

    /** Makes partitions and starts their reflectors. */
    public void start() {
        whole = namespaces.stream()
                .map(namespace -> make(Portion.of(namespace)))
                .toList();
        whole.forEach(partition -> partition.reflector().start(""));
    }

    Partition<T> make(Portion portion) {
        return new Partition<>(parts, portion, parts.store(), this::look);
    }

    /** Notes whether all is filled, after each list. */
    public void look() {
        if (!parts.processor().hasSynced() && whole.stream().allMatch(Partition::isListed)) {
            parts.processor().synced();
        }
    }

    /**
     * Ends all partitions.
     *
     * @return their reflectors, to be stopped without the lock
     */
    public List<Reflector<T>> end() {
        List<? extends Partition<T>> ending = now();
        whole = List.of();
        ending.forEach(Partition::end);
        return ending.stream().<Reflector<T>>map(Partition::reflector).toList();
    }

    /** Those that there are now. By any thread. */
    public List<? extends Partition<T>> now() {
        return whole;
    }

    /** The newest version that a reflector has seen, empty before there is one. By any thread. */
    public final String newestVersion() {
        return now().stream()
                .map(partition -> partition.reflector().resourceVersion())
                .max(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .orElse("");
    }

    /** About how many bytes of JSON an object takes. By any thread. */
    public final double averageSize() {
        return SampledSize.average(now().stream()
                .map(partition -> partition.reflector().objectSize())
                .toList());
    }

    /** What is in the way of lists and watches. By any thread. */
    public final List<Obstacle> obstacles() {
        return Stream.concat(now().stream().map(Partition::reflector), lists().stream())
                .flatMap(reflector -> Stream.ofNullable(reflector.obstacle()))
                .toList();
    }

    /** An event for each object that subscribers know of. */
    public final List<ResourceEvent<T>> told(Function<T, ResourceEvent<T>> event) {
        List<ResourceEvent<T>> events = new ArrayList<>(parts.store().size());
        now().forEach(partition -> partition.tell(event, events));
        return events;
    }

    /** This process has written something; {@code stored} is null if there is nothing, or nothing that is selected. */
    public final void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        now().stream()
                .filter(part -> part.namespace == null || part.namespace.equals(answer.namespace()))
                .forEach(part -> part.written(answer, stored));
    }

    /** Reflectors beside theirs that list what has come to be held, and end with that. By any thread. */
    public List<Reflector<T>> lists() {
        return List.of();
    }

    /** Whether all that the informer is to hold has been stored. By any thread. */
    public boolean areFilled() {
        return parts.processor().hasSynced();
    }

    /** See {@code HostInformer.lacking}. By any thread. */
    public Set<String> lacking() {
        return whole.stream()
                .filter(partition -> !partition.isListed())
                .flatMap(partition -> Stream.ofNullable(partition.namespace))
                .collect(Collectors.toSet());
    }

    /** See {@code HostInformer.hasPassed}. */
    public boolean hasPassed(Map<String, String> versions) {
        return whole.stream().allMatch(partition -> partition.hasPassed(versions));
    }

    /** What is held of the whole, for the informer's label in its status; empty for all. By any thread. */
    public String extent() {
        return "";
    }

    // What HostInformer says of shards; what reads is for any thread.

    public boolean isHeldWhole() {
        return true;
    }

    public void hold(int shard) {}

    public void drop(int shard) {}

    public List<T> list(int shard) {
        return parts.store().list();
    }

    public int size(int shard) {
        return 0;
    }

    /** Tells whether what {@code HostInformer.whenPassed} waits for is the case. */
    public BooleanSupplier passes(int shard, Map<String, String> versions) {
        return () -> hasPassed(versions);
    }
}

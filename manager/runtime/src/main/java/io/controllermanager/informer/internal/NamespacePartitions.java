package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer that is held whole: one for all objects, or one for each namespace.
 *
 * @param <T> the objects' class
 */
final class NamespacePartitions<T extends KubernetesObject> implements Partitions<T> {

    private final Collection<@Nullable String> namespaces;
    private final InformerParts<T> parts;
    private volatile List<Partition<T>> all = List.of();

    /** None at first; of all namespaces if none is given. */
    NamespacePartitions(Set<String> namespaces, InformerParts<T> parts) {
        this.namespaces = Partitions.orAll(namespaces);
        this.parts = parts;
    }

    @Override
    public void start() {
        all = namespaces.stream()
                .map(namespace -> new Partition<>(parts, Portion.of(namespace), parts.store(), this::listed))
                .toList();
        all.forEach(partition -> partition.reflector().start(""));
    }

    private void listed() {
        if (!parts.processor().hasSynced() && all.stream().allMatch(Partition::isListed)) {
            parts.processor().synced();
        }
    }

    @Override
    public List<Reflector<T>> end() {
        List<Partition<T>> ending = all;
        all = List.of();
        ending.forEach(Partition::end);
        return ending.stream().map(Partition::reflector).toList();
    }

    @Override
    public List<Partition<T>> now() {
        return all;
    }

    @Override
    public boolean areFilled() {
        return parts.processor().hasSynced();
    }

    @Override
    public Set<String> lacking() {
        return all.stream()
                .filter(partition -> !partition.isListed())
                .flatMap(partition -> Stream.ofNullable(partition.namespace))
                .collect(Collectors.toSet());
    }

    @Override
    public List<T> list(int shard) {
        return parts.store().list();
    }

    @Override
    public boolean hasPassed(Map<String, String> written) {
        return all.stream().allMatch(partition -> partition.hasPassed(written));
    }
}

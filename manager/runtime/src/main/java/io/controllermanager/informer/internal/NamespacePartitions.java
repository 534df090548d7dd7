package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.request.ResourceVersions;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One partition for all objects, or one for each namespace.
 *
 * @param <T> the objects' class
 */
final class NamespacePartitions<T extends KubernetesObject> implements Partitions<T> {

    private final Set<String> namespaces;
    private final InformerParts<T> parts;
    private final Object lock;
    private volatile List<Part<T>> all = List.of();

    private record Part<T extends KubernetesObject>(
            @Nullable String namespace, String label, Partition<T> partition) {}

    NamespacePartitions(Set<String> namespaces, InformerParts<T> parts) {
        this.namespaces = namespaces;
        this.parts = parts;
        this.lock = parts.lock();
    }

    @Override
    public void start() {
        synchronized (lock) {
            List<Part<T>> made = new ArrayList<>();
            if (namespaces.isEmpty()) {
                made.add(part(null));
            } else {
                namespaces.forEach(namespace -> made.add(part(namespace)));
            }
            all = List.copyOf(made);
            made.forEach(part -> part.partition().reflector().start(""));
        }
    }

    private Part<T> part(@Nullable String namespace) {
        return new Part<>(
                namespace,
                namespace == null ? parts.label() : parts.label() + "/" + namespace,
                new Partition<>(
                        parts,
                        parts.store(),
                        () -> parts.store().currentKeys(namespace),
                        Partition.Rivals.none(),
                        this::filled,
                        parts.waiters()::look,
                        partition -> parts.reflectors().make(Portion.of(namespace), partition)));
    }

    /** A partition has its initial state; called under the lock. */
    private void filled() {
        if (now().stream().allMatch(Partition::isFilled)) {
            parts.processor().synced();
        }
    }

    @Override
    public List<Reflector<T>> end() {
        synchronized (lock) {
            List<Partition<T>> ending = now();
            all = List.of();
            ending.forEach(Partition::end);
            return ending.stream().map(Partition::reflector).toList();
        }
    }

    @Override
    public List<Partition<T>> now() {
        return all.stream().map(Part::partition).toList();
    }

    @Override
    public boolean areFilled() {
        return parts.processor().hasSynced();
    }

    @Override
    public Set<String> lacking() {
        return all.stream()
                .filter(part -> !part.partition().isFilled())
                .flatMap(part -> Stream.ofNullable(part.namespace()))
                .collect(Collectors.toSet());
    }

    @Override
    public void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        for (Part<T> part : all) {
            if (part.namespace() == null || part.namespace().equals(answer.namespace())) {
                if (stored != null || answer instanceof WriteAnswers.Answer.Deleted<T>) {
                    parts.versions().note(part.label(), answer.version());
                }
                part.partition().written(answer, stored);
            }
        }
    }

    @Override
    public boolean hasPassed(Map<String, String> written) {
        return all.stream()
                .allMatch(part ->
                        ResourceVersions.number(part.partition().reflector().resourceVersion())
                                >= ResourceVersions.number(written.get(part.label())));
    }

    @Override
    public String extent() {
        return "";
    }
}

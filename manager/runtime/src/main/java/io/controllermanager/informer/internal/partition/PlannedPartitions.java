package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.kubernetes.client.common.KubernetesObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer in a dry run. What this process would write is stored as if a watch had brought it, so that
 * readers see it and subscribers are told. From then on the object stays as planned, whatever others make of it.
 *
 * @param <T> the objects' class
 */
public final class PlannedPartitions<T extends KubernetesObject> extends Partitions<T> {

    /** None at first; of all namespaces if none is given. */
    public PlannedPartitions(Set<String> namespaces, Parts<T> parts) {
        super(namespaces, parts);
    }

    @Override
    Partition<T> make(Portion portion) {
        return new Planned(portion);
    }

    private final class Planned extends Partition<T> {

        /** By key, empty for what would be gone. */
        private final Map<String, Optional<T>> planned = new LinkedHashMap<>();

        Planned(Portion portion) {
            super(
                    PlannedPartitions.this.parts,
                    portion,
                    PlannedPartitions.this.parts.store(),
                    PlannedPartitions.this::look);
        }

        @Override
        public void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
            if (answer instanceof WriteAnswers.Answer.Stored<T> && answer.version() < Plan.FIRST_VERSION) {
                // It changes nothing.
                return;
            }
            planned.put(answer.key(), Optional.ofNullable(stored));
            T told = told(answer.key());
            if (stored != null) {
                super.put(stored);
            } else if (told != null) {
                super.remove(told);
            }
        }

        @Override
        public void put(T object) {
            if (!planned.containsKey(IndexedStore.key(object))) {
                super.put(object);
            }
        }

        @Override
        public void remove(T object) {
            if (!planned.containsKey(IndexedStore.key(object))) {
                super.remove(object);
            }
        }

        @Override
        public void replace(Map<String, T> objects, String version) {
            Map<String, T> all = new LinkedHashMap<>(objects);
            planned.forEach((key, object) -> {
                all.remove(key);
                object.ifPresent(there -> all.put(key, there));
            });
            super.replace(all, version);
        }
    }
}

package io.controllermanager.manager.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.EventSource.Relation;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which controllers can be divided, and which caches hold only the shards that a process has. Decisions without state. */
public final class ShardRules {

    /** How the labels of written versions end that are of what is held by shards. */
    private static final Pattern OF_A_SHARD = Pattern.compile("#(any|\\d+)-of-\\d+$");

    private ShardRules() {}

    /**
     * Refuses a division that cannot be.
     *
     * @param ownWorkers whether the controller brings its own workers
     * @throws IllegalStateException with a sentence that says what to use
     */
    static void check(ControllerRegistration controller, boolean ownWorkers) {
        Shards shards = controller.options().shards();
        String name = "controller \"" + controller.name() + "\" cannot have shards=" + shards.count();
        if (ownWorkers && isDivided(controller)) {
            throw new IllegalStateException(
                    name + ", since it brings its own workers, which take every key: use shards=1");
        }
        String wrong = wrongBy(controller);
        if (wrong != null) {
            throw new IllegalStateException(
                    name + " with shard-by=" + shards.by().word() + ", since " + wrong);
        }
    }

    /**
     * Why a controller's keys cannot be divided by what its options say, and what to use; null if they can, or are not
     * divided.
     */
    public static @Nullable String wrongBy(ControllerRegistration controller) {
        if (!isDivided(controller)) {
            return null;
        }
        ResourceType<?> primary = primary(controller.descriptor());
        return switch (controller.options().shards().by()) {
            case NAME -> null;
            case UID ->
                primary == null ? "the controller is for no type: use shard-by=namespace or shard-by=name" : null;
            case NAMESPACE, NAMESPACE_RANGE ->
                primary != null && primary.scope() == ResourceType.Scope.CLUSTER
                        ? primary + " has no namespace: use shard-by=name or shard-by=uid"
                        : null;
        };
    }

    /** Whether a controller's keys are divided, where there is an election. */
    static boolean isDivided(ControllerRegistration controller) {
        return controller.enabled()
                && controller.options().needsLeaderElection()
                && controller.options().shards().divide();
    }

    private static @Nullable ResourceType<?> primary(ControllerDescriptor descriptor) {
        return descriptor.sources().stream()
                .filter(EventSource::primary)
                .<ResourceType<?>>map(EventSource::type)
                .findFirst()
                .orElse(null);
    }

    /**
     * Which selections are held by shards. A selection is held whole if it is used in two ways, by one controller or by
     * several: each object is stored once.
     *
     * @param controllers all that are known; those that are switched off do not count
     * @param divided which of them are divided here
     */
    static Map<Selection<?>, ShardedSelection<?>> caches(
            Collection<ControllerRegistration> controllers, Predicate<ControllerRegistration> divided) {
        Map<Selection<?>, ShardedSelection<?>> byShards = new HashMap<>();
        Set<Selection<?>> whole = new HashSet<>();
        for (ControllerRegistration controller : controllers) {
            if (controller.enabled()) {
                for (EventSource<?> source : controller.descriptor().sources()) {
                    ShardedSelection<?> asked = divided.test(controller) ? byShards(source, controller) : null;
                    ShardedSelection<?> before = asked == null ? null : byShards.putIfAbsent(source.selection(), asked);
                    if (asked == null || (before != null && !before.equals(asked))) {
                        whole.add(source.selection());
                    }
                }
            }
        }
        byShards.keySet().removeAll(whole);
        return Map.copyOf(byShards);
    }

    /**
     * Which of the versions that a process has written go with a Lease: what is held whole, and what of the shard, of so many, or
     * of no certain one. Of one shard, only what is held whole. The Leases of many shards would else carry what was written in
     * all of them.
     */
    static Map<String, String> notes(Map<String, String> written, int shard, int count) {
        Map<String, String> notes = new TreeMap<>(written);
        notes.keySet()
                .removeIf(label -> OF_A_SHARD.matcher(label).find()
                        && !label.endsWith("#" + shard + "-of-" + count)
                        && !label.endsWith("#any-of-" + count));
        return notes;
    }

    /** How a source's objects are divided, null if its keys may be of any shard. */
    private static <T extends KubernetesObject> @Nullable ShardedSelection<T> byShards(
            EventSource<T> source, ControllerRegistration controller) {
        Shards shards = controller.options().shards();
        Relation relation = source.relation();
        if (relation == Relation.WATCHED || relation == Relation.ELSEWHERE) {
            return null;
        }
        if (shards.byNamespace()) {
            return source.type().scope() == ResourceType.Scope.NAMESPACED
                    ? new ShardedSelection<>(source.selection(), shards, null)
                    : null;
        }
        if (relation == Relation.NEIGHBOUR) {
            return null;
        }
        return new ShardedSelection<>(
                source.selection(), shards, relation == Relation.OWNED ? primary(controller.descriptor()) : null);
    }
}

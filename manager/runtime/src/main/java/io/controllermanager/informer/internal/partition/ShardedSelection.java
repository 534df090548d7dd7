package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.ResourceType;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A selection whose objects are divided by shards. Equal ones share an informer.
 *
 * @param shards how
 * @param owner null if an object belongs to the shard of its own name or uid; else to that of its controlling owner of this
 *     type. By namespace both are the same.
 */
public record ShardedSelection<T extends KubernetesObject>(
        Selection<T> selection, Shards shards, @Nullable ResourceType<?> owner) {

    /** Belongs to no certain shard: it has no controlling owner of the type. */
    public static final int ANY = -1;

    /** The name of a store's index by shard. */
    public static final String INDEX = "controller-manager.io/shard";

    /** Everything that is selected, undivided. */
    public static <T extends KubernetesObject> ShardedSelection<T> whole(Selection<T> selection) {
        return new ShardedSelection<>(selection, Shards.ONE, null);
    }

    /** The shard of an object, {@link #ANY} if it belongs to no certain one. */
    public int shardOf(KubernetesObject object) {
        V1ObjectMeta metadata = object.getMetadata();
        if (owner == null || shards.byNamespace()) {
            return shardOf(metadata.getNamespace(), metadata.getName(), metadata.getUid());
        }
        V1OwnerReference reference = controllingOwner(metadata, owner);
        String namespace = owner.scope() == ResourceType.Scope.CLUSTER ? null : metadata.getNamespace();
        return reference == null ? ANY : shards.of(namespace, reference.getName(), reference.getUid());
    }

    /** The shard of an object of which no more is known; {@link #ANY} if that does not tell. */
    public int shardOf(@Nullable String namespace, String name, @Nullable String uid) {
        if (shards.byNamespace()) {
            return namespace == null ? ANY : shards.of(namespace, name, uid);
        }
        return owner == null ? shards.of(namespace, name, uid) : ANY;
    }

    /** Whether an update may take an object to another shard, as it may have another owner then. */
    public boolean movesObjects() {
        return owner != null && !shards.byNamespace();
    }

    /** Whether the API server can be asked for some shards. */
    public boolean isFilteredByServer() {
        return switch (shards.by()) {
            case NAMESPACE_RANGE -> selection.type().scope() == ResourceType.Scope.NAMESPACED;
            case UID -> owner == null;
            case NAMESPACE, NAME -> false;
        };
    }

    /** The index by shard. */
    public Map<String, Function<T, List<String>>> index() {
        // The same lists for all objects; the first is of those that belong to no certain shard.
        List<List<String>> values = IntStream.range(ANY, shards.count())
                .mapToObj(shard -> List.of(Integer.toString(shard)))
                .toList();
        return Map.of(INDEX, object -> values.get(shardOf(object) - ANY));
    }

    /** The same in the namespaces given. */
    public ShardedSelection<T> inNamespaces(Set<String> namespaces) {
        return new ShardedSelection<>(selection.inNamespaces(namespaces), shards, owner);
    }

    private static @Nullable V1OwnerReference controllingOwner(V1ObjectMeta metadata, ResourceType<?> owner) {
        if (metadata.getOwnerReferences() == null) {
            return null;
        }
        for (V1OwnerReference reference : metadata.getOwnerReferences()) {
            if (Boolean.TRUE.equals(reference.getController()) && owner.isTypeOf(reference)) {
                return reference;
            }
        }
        return null;
    }
}

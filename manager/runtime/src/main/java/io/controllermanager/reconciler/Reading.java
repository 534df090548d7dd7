package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.cache.Lister;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a controller reads: its own objects, and those that its description names, from the shared caches.
 *
 * @param <T> the class of its own objects
 */
final class Reading<T extends KubernetesObject> {

    private final ControllerContext context;
    private final ResourceType<T> type;
    private final Set<Selection<?>> selections;
    private final OwnIndexes<T> indexes;
    private final Lister<T> own;

    Reading(ControllerContext context, ResourceType<T> type, Set<Selection<?>> selections, OwnIndexes<T> indexes) {
        this.context = context;
        this.type = type;
        this.selections = selections;
        this.indexes = indexes;
        Informer<T> informer = context.informer(type);
        indexes.follow(informer);
        this.own = informer.lister();
    }

    ResourceType<T> type() {
        return type;
    }

    @Nullable
    T own(Request key) {
        return get(own, key.getNamespace(), key.getName());
    }

    List<T> find(Index<T> index, String value) {
        return indexes.find(index, value);
    }

    <R extends KubernetesObject> @Nullable R find(T from, Selection<R> selection, String name) {
        if (!selections.contains(selection)) {
            throw new IllegalArgumentException(
                    "controller \"" + context.name() + "\" does not watch " + selection
                            + ": its description must name it to have it read; what it owns under common labels is read by child()");
        }
        String key = ControllerDescription.key(from, name, selection.type());
        int slash = key.indexOf('/');
        return get(
                context.informer(selection).lister(),
                slash < 0 ? null : key.substring(0, slash),
                key.substring(slash + 1));
    }

    /** What a cache has, namespace null for what lives in none. */
    static <R extends KubernetesObject> @Nullable R get(Lister<R> lister, @Nullable String namespace, String name) {
        return namespace == null
                ? lister.get(name)
                : lister.namespace(namespace).get(name);
    }
}

package io.controllermanager.manager.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What one controller's reconciler is made with; remembers which informers were asked for. */
final class HostContext implements ControllerContext, KeyMemories.Owner {

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final Map<Selection<?>, ShardedSelection<?>> byShards;
    private final Map<Selection<?>, HostInformer<?>> informers = new ConcurrentHashMap<>();
    private final KeyMemories memories = new KeyMemories();

    /**
     * Asks for no informer yet.
     *
     * @param byShards of which selections only the shards are held that this process has; they are held whole for a
     *     controller that has not declared them as a source, and does not expect objects to come and go with shards
     */
    HostContext(ControllerRegistration registration, HostParts parts, Map<Selection<?>, ShardedSelection<?>> byShards) {
        this.registration = registration;
        this.parts = parts;
        this.byShards = byShards;
    }

    /** The informers asked for so far, each of which the cluster was asked for once. */
    Collection<HostInformer<?>> informers() {
        return informers.values();
    }

    /** Gives all of them back. */
    void release() {
        for (Selection<?> selection : List.copyOf(informers.keySet())) {
            HostInformer<?> informer = informers.remove(selection);
            if (informer != null) {
                parts.cluster().release(informer);
            }
        }
    }

    @Override
    public String name() {
        return registration.name();
    }

    @Override
    public ApiClient apiClient() {
        return parts.leadership().client(registration);
    }

    @Override
    public <T extends KubernetesObject> HostInformer<T> informer(ResourceType<T> type) {
        return informer(Selection.of(type));
    }

    @Override
    @SuppressWarnings("unchecked") // a type's informer has its class
    public <T extends KubernetesObject> HostInformer<T> informer(Selection<T> selection) {
        return (HostInformer<T>) informers.computeIfAbsent(selection, this::acquire);
    }

    private HostInformer<?> acquire(Selection<?> selection) {
        boolean isSource = registration.descriptor().sources().stream()
                .anyMatch(source -> source.selection().equals(selection));
        ShardedSelection<?> sharded = isSource ? byShards.get(selection) : null;
        return sharded == null
                ? parts.cluster().informer(selection)
                : parts.cluster().informer(sharded);
    }

    @Override
    public EventRecorder events() {
        return parts.recorders().apply(registration.name());
    }

    @Override
    public Clock clock() {
        return parts.clock();
    }

    @Override
    public KeyMemories memories() {
        return memories;
    }
}

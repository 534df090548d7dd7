package io.controllermanager.manager.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.Obstacle;
import io.controllermanager.controller.EventSource;
import io.controllermanager.informer.internal.HostInformer;
import io.kubernetes.client.informer.cache.Caches;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Which controllers can work in some namespaces while others may not be read, and when. Decisions without state. */
final class NamespaceRules {

    private NamespaceRules() {}

    /**
     * Whether nothing that a controller reads brings objects of several namespaces together, as far as can be seen: neither a
     * source that maps to any key, nor a type that lives in no namespace, nor an index, nor an informer beside its sources.
     */
    static boolean staysWithin(ControllerRegistration controller, Collection<HostInformer<?>> informers) {
        List<EventSource<?>> sources = controller.descriptor().sources();
        return controller.adapter() == ControllerAdapter.NONE
                && informers.size()
                        == sources.stream()
                                .map(EventSource::selection)
                                .distinct()
                                .count()
                && sources.stream()
                        .allMatch(source -> source.relation() != EventSource.Relation.WATCHED
                                && source.type().scope() == ResourceType.Scope.NAMESPACED)
                && informers.stream()
                        .flatMap(informer -> informer.getIndexer().getIndexers().keySet().stream())
                        // Informers are shared, and with them the indexes of others, which have those in their names.
                        .allMatch(index -> index.equals(Caches.NAMESPACE_INDEX)
                                || (index.contains("/") && !index.startsWith(controller.name() + "/")));
    }

    /** The namespaces of which something is not stored. */
    static Set<String> lacking(Collection<HostInformer<?>> informers) {
        return informers.stream()
                .flatMap(informer -> informer.lacking().stream())
                .collect(Collectors.toSet());
    }

    /** Whether nothing is lacking but what may not be read, and that is not all. */
    static boolean lackOnlyRights(Collection<HostInformer<?>> informers) {
        Set<String> lacking = lacking(informers);
        Set<String> forbidden = informers.stream()
                .flatMap(informer -> informer.obstacles().stream())
                .filter(Obstacle::isForbidden)
                .map(obstacle -> obstacle.permission().namespace())
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        return lacking.isEmpty()
                || (forbidden.containsAll(lacking)
                        && informers.stream()
                                .anyMatch(
                                        one -> !lacking.containsAll(one.status().namespaces())));
    }
}

package io.controllermanager.manager.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.controller.EventSource;
import io.controllermanager.informer.internal.HostInformer;
import io.kubernetes.client.informer.cache.Caches;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which controllers can work in some namespaces while others may not be read, and when. Decisions without state. */
public final class NamespaceRules {

    /** Of the indexes by which children are found that a described reconciler owns. */
    private static final String OF_CHILDREN = "controller-manager/";

    private NamespaceRules() {}

    /**
     * Why a controller cannot be restricted to namespaces, null if it can.
     *
     * @param namespaces those that the host is restricted to, empty for none
     */
    public static @Nullable String wrongBy(ControllerRegistration controller, Collection<String> namespaces) {
        if (namespaces.isEmpty() || !controller.enabled()) {
            return null;
        }
        return controller.descriptor().sources().stream()
                .filter(source -> source.relation() == EventSource.Relation.ELSEWHERE)
                .findFirst()
                .map(source -> "controller \"" + controller.name() + "\" makes " + source.type()
                        + " outside the namespaces of its objects, which it cannot see there: name no namespaces, or take"
                        + " in(...) and cluster-scoped children out of its description")
                .orElse(null);
    }

    /**
     * Whether nothing that a controller reads brings objects of several namespaces together, as far as can be seen: neither a
     * source that maps to any key, nor a type that lives in no namespace, nor an index, nor an informer beside its sources. One
     * that is divided does not count.
     *
     * @param all the host's controllers: informers are shared, and the names of indexes begin with those of their controllers
     */
    static boolean staysWithin(
            ControllerRegistration controller,
            Collection<ControllerRegistration> all,
            Collection<HostInformer<?>> informers) {
        List<EventSource<?>> sources = controller.descriptor().sources();
        return !ShardRules.isDivided(controller)
                && controller.adapter() == ControllerAdapter.NONE
                && informers.size()
                        == sources.stream()
                                .map(EventSource::selection)
                                .distinct()
                                .count()
                && sources.stream()
                        .allMatch(source -> source.relation() != EventSource.Relation.WATCHED
                                && source.relation() != EventSource.Relation.ELSEWHERE
                                && source.type().scope() == ResourceType.Scope.NAMESPACED)
                && informers.stream()
                        .flatMap(informer -> informer.getIndexer().getIndexers().keySet().stream())
                        .allMatch(index -> index.equals(Caches.NAMESPACE_INDEX)
                                || index.startsWith(OF_CHILDREN)
                                || (!index.startsWith(controller.name() + "/")
                                        && all.stream().anyMatch(one -> index.startsWith(one.name() + "/"))));
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
        return lacking.isEmpty()
                || (informers.stream().allMatch(NamespaceRules::lacksOnlyRights)
                        && informers.stream()
                                .anyMatch(
                                        one -> !lacking.containsAll(one.status().namespaces())));
    }

    /** Whether an informer is filled, or would be if all that it lists could be read. */
    static boolean lacksOnlyRights(HostInformer<?> informer) {
        List<Obstacle> obstacles = informer.obstacles();
        Set<String> lacking = informer.lacking();
        boolean onlyRights = lacking.isEmpty()
                ? !obstacles.isEmpty() && obstacles.stream().allMatch(Obstacle::isForbidden)
                : lacking.stream()
                        .allMatch(namespace -> obstacles.stream()
                                .anyMatch(obstacle -> obstacle.isForbidden()
                                        && namespace.equals(
                                                obstacle.permission().namespace())));
        return onlyRights || informer.hasSynced();
    }
}

package io.controllermanager.informer;

import java.util.Set;

/**
 * What holds for all informers of a factory.
 *
 * @param namespaces the namespaces to watch objects of namespaced types in, empty for all
 * @param dropManagedFields whether {@code metadata.managedFields} is dropped before an object is stored: few
 *     controllers read it, and it is often half of the object
 * @param pageSize how many objects one page of a list holds; the API server ignores it when it answers from its watch
 *     cache
 * @param watchListFirst whether a cache is filled by WatchList at the start as well, where the API server has it, and not
 *     only when it has to be read again: that gives the most recent state rather than any recent one and takes the API
 *     server less memory, but more time
 */
public record InformerOptions(Set<String> namespaces, boolean dropManagedFields, int pageSize, boolean watchListFirst) {

    /** All namespaces, no managedFields, pages of 500, a list at the start. */
    public static final InformerOptions DEFAULTS = new InformerOptions(Set.of(), true, 500, false);

    public InformerOptions {
        namespaces = Set.copyOf(namespaces);
        if (namespaces.contains("")) {
            throw new IllegalArgumentException("namespaces must not hold an empty name; an empty set means all");
        }
        if (pageSize < 1) {
            throw new IllegalArgumentException("pageSize must be at least 1, but is " + pageSize);
        }
    }

    /** The same for other namespaces. */
    public InformerOptions withNamespaces(Set<String> newNamespaces) {
        return new InformerOptions(newNamespaces, dropManagedFields, pageSize, watchListFirst);
    }

    /** The same with a WatchList or a list at the start. */
    public InformerOptions withWatchListFirst(boolean newWatchListFirst) {
        return new InformerOptions(namespaces, dropManagedFields, pageSize, newWatchListFirst);
    }
}

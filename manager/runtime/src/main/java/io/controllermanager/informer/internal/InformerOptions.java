package io.controllermanager.informer.internal;

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
 * @param readOwnWrites whether readers see what this process has written before the watch has brought it
 * @param detectMutations whether to look out for changes that are made to stored objects, which is for development and
 *     tests: it takes as much memory again, and processor time
 */
public record InformerOptions(
        Set<String> namespaces,
        boolean dropManagedFields,
        int pageSize,
        boolean watchListFirst,
        boolean readOwnWrites,
        boolean detectMutations) {

    /** All namespaces, no managedFields, pages of 500, a list at the start, own writes seen at once. */
    public static final InformerOptions DEFAULTS = new InformerOptions(Set.of(), true, 500, false, true, false);

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
        return new InformerOptions(
                newNamespaces, dropManagedFields, pageSize, watchListFirst, readOwnWrites, detectMutations);
    }

    /** The same with a WatchList or a list at the start. */
    public InformerOptions withWatchListFirst(boolean newWatchListFirst) {
        return new InformerOptions(
                namespaces, dropManagedFields, pageSize, newWatchListFirst, readOwnWrites, detectMutations);
    }
}

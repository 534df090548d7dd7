package io.controllermanager.informer.internal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Counts who holds each informer. Guarded by its factory. */
final class InformerHolders {

    private final Map<HostInformer<?>, Integer> counts = new HashMap<>();

    /** Informers that were asked for by callers who do not give them back. */
    private final Set<HostInformer<?>> kept = new HashSet<>();

    /** The informer is needed for as long as there is a factory. */
    void keep(HostInformer<?> informer) {
        kept.add(informer);
    }

    /** One more holds the informer. */
    void acquire(HostInformer<?> informer) {
        counts.merge(informer, 1, Integer::sum);
    }

    /**
     * One holder less.
     *
     * @return whether nobody needs the informer any more
     */
    boolean release(HostInformer<?> informer) {
        return counts.computeIfPresent(informer, (held, count) -> count == 1 ? null : count - 1) == null
                && !kept.contains(informer);
    }
}

package io.controllermanager.network;

import io.controllermanager.event.RequestMapper;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.cache.Lister;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Knows which valid Networks of a namespace claim the same addresses, and maps a Network's old or new state to those
 * that it concerns.
 *
 * <p>It follows the informer's store: each event and each reconcile brings the entry of that one Network up to date with
 * the store. A search may therefore miss a change whose event has not been delivered yet; that event, when it comes,
 * enqueues every Network that the change concerns, so nothing stays missed.
 *
 * <p>Safe for use by several threads.
 */
final class NetworkOverlaps implements RequestMapper<Network> {

    private final Map<String, CidrIndex> byNamespace = new ConcurrentHashMap<>();
    private volatile @Nullable Lister<Network> lister;

    /** Forgets what it knows and follows the given store from now on. */
    void follow(Lister<Network> newLister) {
        lister = newLister;
        byNamespace.clear();
    }

    /** Brings one Network up to date with the store. */
    void refresh(String namespace, String name) {
        Lister<Network> store = lister;
        if (store == null) {
            return;
        }
        byNamespace.compute(namespace, (key, index) -> {
            // Read under the lock of compute, so that of two threads the later one has the newer state.
            Network network = store.namespace(namespace).get(name);
            Cidr cidr = network == null ? null : rangeOf(network);
            if (index == null && cidr == null) {
                return null;
            }
            CidrIndex present = index == null ? new CidrIndex() : index;
            present.put(name, cidr);
            return present.isEmpty() ? null : present;
        });
    }

    /** Up to {@code limit} Networks of the namespace, other than the named one, that overlap the range. */
    List<CidrIndex.Entry> of(String namespace, String name, Cidr cidr, int limit) {
        CidrIndex index = byNamespace.get(namespace);
        return index == null ? List.of() : index.overlapping(cidr, name, limit);
    }

    /** The other Networks of the namespace that overlap this one. */
    @Override
    public Set<Request> map(Network network) {
        String namespace = network.getMetadata().getNamespace();
        String name = network.name();
        refresh(namespace, name);
        Cidr cidr = rangeOf(network);
        Set<Request> requests = new HashSet<>();
        if (cidr != null) {
            for (CidrIndex.Entry entry : of(namespace, name, cidr, Integer.MAX_VALUE)) {
                requests.add(new Request(namespace, entry.name()));
            }
        }
        return requests;
    }

    /** The range that a Network claims, null unless it is valid. */
    private static @Nullable Cidr rangeOf(Network network) {
        return Verdict.of(network.spec()) instanceof Verdict.Valid valid ? valid.cidr() : null;
    }
}

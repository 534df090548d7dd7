package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The held Leases of a controller's shards by other numbers than this process's, as one list after another has shown them.
 * Time is this process's monotonic clock's.
 *
 * @param leases by their names; one that is gone counts as held until its time is over, as for whoever competes for it
 */
record OtherShards(Map<String, KnownLease> leases) {

    static final OtherShards NONE = new OtherShards(Map.of());

    /** What is known after another list, which was answered by that time; Leases without a holder do not count. */
    OtherShards listed(Collection<V1Lease> found, LeaderElectionConfig config, long now) {
        Map<String, KnownLease> known = new TreeMap<>();
        leases.forEach((name, before) -> {
            KnownLease gone = before.missing() ? before : before.gone(now);
            if (!gone.isExpired(config, now)) {
                known.put(name, gone);
            }
        });
        for (V1Lease lease : found) {
            String name = name(lease);
            known.put(name, leases.getOrDefault(name, KnownLease.NOTHING).seen(lease, config, false, now));
        }
        known.values().removeIf(KnownLease::isFree);
        return new OtherShards(known);
    }

    static String name(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        return metadata == null || metadata.getName() == null ? "" : metadata.getName();
    }
}

package io.controllermanager.testing.failover;

import io.controllermanager.informer.Shards;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What replicas work on, and how they divide it: each of the Leases gives the right to work in some of the namespaces.
 *
 * @param shards how many, 1 if the work is not divided
 * @param namespaces how many; more than one if the work is divided
 * @param foos how many there are at most
 */
public record Work(int shards, int namespaces, int foos) {

    /** One works on everything. */
    public static final Work UNDIVIDED = new Work(1, 1, 100);

    private static final String CONTROLLER = "foo";

    /** What is not in a namespace belongs to no shard, so nobody may write it. */
    private static final String NO_LEASE = "";

    /** Reads shards, namespaces and Foos, such as {@code 16/200/10000}. */
    static Work parse(String text) {
        String[] parts = text.split("/", -1);
        return new Work(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }

    /** Whether each Lease gives the right to a part of it. */
    private boolean divided() {
        return shards > 1;
    }

    /** Whether it is in many namespaces, made beforehand, and behind two API servers. */
    boolean spread() {
        return namespaces > 1;
    }

    /** How a replica is told. */
    List<String> arguments() {
        return divided() ? List.of("--controller-manager.controller." + CONTROLLER + ".shards=" + shards) : List.of();
    }

    /** All Leases for which replicas compete. */
    List<String> leases() {
        return divided() ? IntStream.range(0, shards).mapToObj(this::lease).toList() : List.of(Launch.LEASE);
    }

    private String lease(int shard) {
        return Launch.LEASE + "-" + CONTROLLER + "-" + shard + "-of-" + shards;
    }

    /** The Lease of whoever may work in a namespace. */
    String lease(String namespace) {
        if (!divided()) {
            return Launch.LEASE;
        }
        return namespace.isEmpty() ? NO_LEASE : lease(new Shards(shards, Shards.By.NAMESPACE).of(namespace, "", null));
    }

    /** The Lease that an event is about: that which it changes, or that which it needs if it is a write. */
    String lease(AuditEvent event) {
        return event.lease() != null ? event.name() : lease(event.namespace());
    }

    /** Where Foos are. The names differ at their begin, so that they fall into all shards, also by ranges of namespaces. */
    List<String> namespaceNames() {
        return namespaces == 1
                ? List.of("default")
                : IntStream.range(0, namespaces)
                        .mapToObj("%03d-team"::formatted)
                        .toList();
    }

    /** A namespace for which a Lease is needed. */
    String namespaceOf(String lease) {
        return namespaceNames().stream()
                .filter(namespace -> lease(namespace).equals(lease))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("too few namespaces for " + lease));
    }
}

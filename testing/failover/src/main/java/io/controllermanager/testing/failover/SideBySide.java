package io.controllermanager.testing.failover;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds Foos that two replicas write side by side, whoever holds a Lease by its own account: two writes of one Foo that are
 * under way at the same time; and a replica that writes again soon after another, though the Lease has not changed hands
 * in between. A Foo's Deployment has the Foo's name, and counts as the Foo.
 */
final class SideBySide {

    /** Within which time two replicas that take turns are at work both. Longer than writes of one reconcile are apart. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private SideBySide() {}

    /**
     * Finds them among what concerns one Lease, in any order.
     *
     * @param events the audit log
     * @param replicas the users that are replicas
     * @param judged what {@link Judge} has found in the same events: a write that is outside of the guarantee remains so
     */
    static List<Judge.Finding> find(List<AuditEvent> events, Set<String> replicas, List<Judge.Finding> judged) {
        TreeSet<Instant> handOvers = handOvers(events);
        Map<String, Map<String, AuditEvent>> latest = new HashMap<>();
        List<Judge.Finding> found = new ArrayList<>();
        events.stream()
                .filter(event -> event.isWrite() && replicas.contains(event.user()))
                .sorted(Comparator.comparing(AuditEvent::received))
                .forEach(write -> {
                    Map<String, AuditEvent> byReplica =
                            latest.computeIfAbsent(write.namespace() + "/" + write.name(), foo -> new HashMap<>());
                    AuditEvent own = byReplica.put(write.user(), write);
                    byReplica.forEach((replica, other) -> {
                        if (!replica.equals(write.user())) {
                            boolean together = other.completed().isAfter(write.received());
                            boolean inTurns = own != null
                                    && other.received().isAfter(own.received())
                                    && other.received().plus(SOON).isAfter(write.received())
                                    && handOvers
                                            .subSet(other.received(), true, write.received(), true)
                                            .isEmpty();
                            if (together || inTurns) {
                                found.add(finding(write, other, together, judged));
                            }
                        }
                    });
                });
        return found;
    }

    private static Judge.Finding finding(
            AuditEvent write, AuditEvent other, boolean together, List<Judge.Finding> judged) {
        Judge.Kind kind = judged.stream()
                .filter(finding -> isOf(finding, write) || isOf(finding, other))
                .map(Judge.Finding::kind)
                .max(Comparator.naturalOrder())
                .orElse(Judge.Kind.VIOLATION);
        return new Judge.Finding(
                write.received(),
                write.user(),
                kind,
                "its " + write.verb() + " of " + write.namespace() + "/" + write.name() + " at " + write.received()
                        + (together ? " overlaps that of " : " follows within " + SOON.toSeconds() + " s that of ")
                        + other.user() + " at " + other.received());
    }

    private static boolean isOf(Judge.Finding finding, AuditEvent write) {
        return finding.at().equals(write.received()) && finding.replica().equals(write.user());
    }

    /** When the Lease went to another holder. */
    private static TreeSet<Instant> handOvers(List<AuditEvent> events) {
        TreeSet<Instant> at = new TreeSet<>();
        String holder = "";
        for (AuditEvent event : Judge.leaseWrites(events)) {
            String now = Objects.requireNonNull(event.lease()).holder();
            if (!now.isEmpty() && !now.equals(holder)) {
                at.add(event.received());
                holder = now;
            }
        }
        return at;
    }
}

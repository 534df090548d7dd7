package io.controllermanager.testing.failover;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Replicas at work one after the other, whatever Leases they hold.
 *
 * @param changes how often another than the last one has begun to work
 * @param longestPause the longest time in which none was at work, between two that were
 * @param together each time that one worked while another did
 */
record Turns(int changes, Duration longestPause, List<String> together) {

    /** How far the clocks of a record and of the audit log may be apart. */
    private static final Duration TOLERANCE = Duration.ofMillis(5);

    /** One thing that a replica has done: a write, or a reconcile. */
    record Work(String replica, Instant from, Instant until) {}

    /** In each namespace by itself, where each may have another replica at work; changes are added up. */
    static Turns inEach(Collection<RollingUpdates.Done> done) {
        Map<String, List<Work>> byNamespace = done.stream()
                .collect(Collectors.groupingBy(
                        RollingUpdates.Done::namespace,
                        TreeMap::new,
                        Collectors.mapping(RollingUpdates.Done::work, Collectors.toList())));
        int changes = 0;
        Duration longest = Duration.ZERO;
        List<String> together = new ArrayList<>();
        for (Map.Entry<String, List<Work>> one : byNamespace.entrySet()) {
            Turns turns = of(one.getValue());
            changes += turns.changes();
            longest = longest.compareTo(turns.longestPause()) < 0 ? turns.longestPause() : longest;
            turns.together().forEach(each -> together.add("in " + one.getKey() + " " + each));
        }
        return new Turns(changes, longest, List.copyOf(together));
    }

    static Turns of(Collection<Work> work) {
        List<Work> sorted =
                work.stream().sorted(Comparator.comparing(Work::from)).toList();
        Map<String, Instant> ends = new HashMap<>();
        List<String> together = new ArrayList<>();
        String last = "";
        Instant end = null;
        int changes = 0;
        Duration longest = Duration.ZERO;
        for (Work next : sorted) {
            ends.forEach((replica, until) -> {
                if (!replica.equals(next.replica()) && until.minus(TOLERANCE).isAfter(next.from())) {
                    together.add(next.replica() + " worked at " + next.from() + ", and " + replica + " until " + until);
                }
            });
            if (!last.isEmpty() && !last.equals(next.replica())) {
                changes++;
            }
            if (end != null && longest.compareTo(Duration.between(end, next.from())) < 0) {
                longest = Duration.between(end, next.from());
            }
            last = next.replica();
            ends.merge(last, next.until(), (one, other) -> one.isBefore(other) ? other : one);
            end = end == null || end.isBefore(next.until()) ? next.until() : end;
        }
        return new Turns(changes, longest, List.copyOf(together));
    }
}

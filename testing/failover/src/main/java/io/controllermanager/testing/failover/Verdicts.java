package io.controllermanager.testing.failover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the audit log and the replicas' own records say of each round of a {@link ChaosRun}. For one thread. */
final class Verdicts {

    private final History history;
    private final Launch launch;
    private final Set<String> contenders = new HashSet<>();
    private final List<Judge.Suspension> suspensions = new ArrayList<>();
    private final Set<Judge.Finding> known = new HashSet<>();
    private final List<String> complaints = new ArrayList<>();
    private int writesBefore;
    private int reconcilesBefore;
    private int late;

    /**
     * What is to be judged.
     *
     * @param number the round's, 0 outside of rounds
     * @param lease the Lease that is aimed at
     * @param before who held it when it began
     * @param after who held it when it ended
     */
    record Happened(
            int number,
            String what,
            String lease,
            String victim,
            Instant begin,
            Instant end,
            String before,
            String after) {}

    Verdicts(List<Path> auditLogs, Launch launch) {
        this.history = new History(auditLogs);
        this.launch = launch;
    }

    /** Reads what is new in the audit log. */
    void read() throws IOException {
        history.read();
    }

    /** Notes something that is wrong; the next round that is judged has it. */
    void complain(String what) {
        complaints.add(what);
    }

    /** A Go program of this name may lead from now on. */
    void contends(String name) {
        contenders.add(name);
    }

    void suspended(Judge.Suspension suspension) {
        suspensions.add(suspension);
    }

    /** A Lease has another holder though nothing had happened to the one before. */
    void changed(String lease, String leader, Instant begin, Instant end) {
        Duration gap = Renewals.longestGap(eventsOf(lease, history.events()), leader, begin, end);
        if (gap.compareTo(launch.timings().renewDeadline()) < 0) {
            complain("the leader has changed, without need");
        } else {
            // The machine was too busy for its renewals.
            late++;
        }
    }

    /** Whether a replica has renewed the Lease by a wall clock that was wrong by about so much. */
    boolean hasRenewed(String leader, Instant since, Duration wrongBy) {
        return history.events().stream()
                .filter(event -> event.isLeaseWrite()
                        && event.user().equals(leader)
                        && event.received().isAfter(since))
                .map(event -> Objects.requireNonNull(event.lease()).renewed() == null
                        ? Duration.ZERO
                        : Duration.between(event.received(), event.lease().renewed()))
                .anyMatch(wrong ->
                        wrong.minus(wrongBy).abs().compareTo(wrongBy.abs().dividedBy(2)) < 0);
    }

    /** Whether the Go program has led since. */
    boolean contended(Instant since) {
        return history.events().stream()
                .anyMatch(event -> event.isLeaseWrite()
                        && event.received().isAfter(since)
                        && contenders.contains(event.user())
                        && !Objects.requireNonNull(event.lease()).holder().isEmpty());
    }

    /** Judges what has happened since the last round. */
    Round judge(Happened happened, List<Replica> replicas) throws IOException {
        StampClock clock = StampClock.read();
        Map<String, Collection<Reconcile>> reconciled = new TreeMap<>();
        replicas.forEach(replica -> reconciled.put(replica.name(), replica.reconciles(clock)));
        // After them, so that it has every renewal that let one of them through.
        history.read();
        List<AuditEvent> events = history.events();
        Set<String> users = Set.copyOf(replicas.stream().map(Replica::name).toList());
        Map<String, List<AuditEvent>> byLease = events.stream().collect(Collectors.groupingBy(launch.work()::lease));
        List<Judge.Finding> findings = findings(byLease, reconciled, users);
        findings.removeIf(finding -> !known.add(finding));
        Files.write(
                launch.directory().resolve("findings.log"),
                findings.stream().map(Judge.Finding::toString).toList(),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        List<String> violations = new ArrayList<>(complaints);
        complaints.clear();
        findings.stream()
                .filter(finding -> finding.kind() == Judge.Kind.VIOLATION)
                .forEach(finding -> violations.add(finding.replica() + ": " + finding.what()));
        int writes = (int) events.stream()
                .filter(event -> event.isWrite() && users.contains(event.user()))
                .count();
        int reconciles = reconciled.values().stream().mapToInt(Collection::size).sum();
        boolean contended = contended(happened.begin());
        Round round = new Round(
                happened.number(),
                happened.what(),
                happened.lease(),
                happened.victim(),
                happened.begin(),
                happened.end(),
                happened.before(),
                happened.after(),
                contended,
                launch.work().leases().stream()
                        .mapToInt(lease -> Renewals.moves(eventsOf(lease, byLease), happened.begin(), happened.end()))
                        .sum(),
                contended ? null : handOver(eventsOf(happened.lease(), byLease), happened),
                writes - writesBefore,
                reconciles - reconcilesBefore,
                count(findings, Judge.Kind.ON_THE_WIRE),
                count(findings, Judge.Kind.AFTER_EDIT),
                count(findings, Judge.Kind.LATE) + late,
                List.copyOf(violations));
        writesBefore = writes;
        reconcilesBefore = reconciles;
        late = 0;
        return round;
    }

    private List<AuditEvent> eventsOf(String lease, List<AuditEvent> events) {
        return events.stream()
                .filter(event -> launch.work().lease(event).equals(lease))
                .toList();
    }

    private static List<AuditEvent> eventsOf(String lease, Map<String, List<AuditEvent>> byLease) {
        return byLease.getOrDefault(lease, List.of());
    }

    /** For each Lease by itself: what needs it is judged by who held it. */
    private List<Judge.Finding> findings(
            Map<String, List<AuditEvent>> byLease, Map<String, Collection<Reconcile>> reconciled, Set<String> users) {
        Map<String, Map<String, Collection<Reconcile>>> reconciles = new TreeMap<>();
        reconciled.forEach((replica, all) -> all.forEach(reconcile -> reconciles
                .computeIfAbsent(launch.work().lease(reconcile.namespace()), lease -> new TreeMap<>())
                .computeIfAbsent(replica, name -> new ArrayList<>())
                .add(reconcile)));
        Set<String> leases = new TreeSet<>(byLease.keySet());
        leases.addAll(reconciles.keySet());
        List<Judge.Finding> findings = new ArrayList<>();
        for (String lease : leases) {
            List<AuditEvent> events = eventsOf(lease, byLease);
            List<Judge.Finding> judged = new Judge(launch.timings(), users)
                    .judge(events, reconciles.getOrDefault(lease, Map.of()), suspensions, contenders);
            findings.addAll(judged);
            findings.addAll(SideBySide.find(events, users, judged));
        }
        return findings;
    }

    private static int count(List<Judge.Finding> findings, Judge.Kind kind) {
        return (int) findings.stream().filter(finding -> finding.kind() == kind).count();
    }

    private static @Nullable Duration handOver(List<AuditEvent> events, Happened happened) {
        if (happened.before().equals(happened.after())) {
            return null;
        }
        Instant first = writes(events, happened.after())
                .filter(at -> at.isAfter(happened.begin()))
                .min(Comparator.naturalOrder())
                .orElse(null);
        if (first == null) {
            return null;
        }
        return writes(events, happened.before())
                .filter(at -> at.isBefore(first))
                .max(Comparator.naturalOrder())
                .map(last -> Duration.between(last, first))
                .orElse(null);
    }

    private static Stream<Instant> writes(List<AuditEvent> events, String user) {
        return events.stream()
                .filter(event -> event.isWrite() && event.user().equals(user))
                .map(AuditEvent::received);
    }
}

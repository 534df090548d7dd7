package io.controllermanager.testing.failover;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Says from the API server's audit log, and from the replicas' own records of their reconciles, whether anybody worked who
 * did not lead. A replica leads by a change of the Lease, its own, that names it the holder; no more from when
 *
 * <ul>
 *   <li>the API server has answered another's change that took the Lease,
 *   <li>it has received the replica's own change that gave the Lease back, or
 *   <li>the renew deadline has passed since it received the last renewal: measured at the replica's fence, before which
 *       the write got its stamp, since nothing is said of how long a request may travel.
 * </ul>
 *
 * <p>Two kinds of writes are outside the guarantee and counted apart: those that had come to the fence before their process
 * was suspended, and those within one retry period (and what a thread may have to wait for a core) of a change of the
 * holder by hand, which asks nobody whether his time is over, be it by a deletion that lets client-go make the Lease anew, or
 * by a copy of etcd's data that is put back.
 *
 * <p>A reconcile must have been let through by the gate in that time, and have ended by its end: none may run when another
 * has taken the Lease, or the replica has given it back. Counted apart are those that a suspension or a change
 * of the holder by hand found running, and, since a thread may have to wait for a core on a busy machine, those that began
 * or ended somewhat late; the fence has their writes.
 */
final class Judge {

    /** How far the clocks of a record and of the audit log may be apart. */
    private static final Duration TOLERANCE = Duration.ofMillis(5);

    /** How long a thread may have to wait for a core. */
    private static final Duration SCHEDULING = Duration.ofSeconds(2);

    private final Timings timings;
    private final Set<String> replicas;
    private final List<Restore> restores;

    /**
     * A copy of etcd's data was put back; the API server was away before.
     *
     * @param at when the API server was away
     * @param back when it was back, so that anybody could notice
     * @param holder who held the Lease in it
     */
    record Restore(Instant at, Instant back, String holder) {}

    /**
     * When a process stood still.
     *
     * @param replica which
     * @param from when it stood
     * @param until when it was let go on
     */
    record Suspension(String replica, Instant from, Instant until) {}

    /** How bad it is. */
    enum Kind {
        /** Somebody worked who did not lead. */
        VIOLATION,
        /** A write that was past the fence when its process was suspended, or a reconcile that was past the gate. */
        ON_THE_WIRE,
        /** Work right after somebody had changed the holder by hand. */
        AFTER_EDIT,
        /** A reconcile that began in time by the gate, but a thread had to wait for a core. */
        LATE
    }

    /**
     * What somebody did who did not lead.
     *
     * @param at when
     * @param replica who
     * @param kind how bad it is
     * @param what in words
     */
    record Finding(Instant at, String replica, Kind kind, String what) {}

    /** Whose doing it is that a replica may not work any more. */
    private enum Cause {
        OWN,
        COMPETITOR,
        HAND
    }

    /** From when on a replica may not work any more, and why. */
    private record End(Instant at, String why, Cause cause) {}

    /** One time as the leader: what is received from {@code begin} on is in order, until the end. */
    private static final class Term {

        private final Instant begin;
        private final TreeSet<Instant> renewals = new TreeSet<>();
        private @Nullable End end;

        Term(Instant begin) {
            this.begin = begin;
        }
    }

    /**
     * Judges these replicas; whoever else changes the Lease is a competitor of another kind, or a hand.
     *
     * @param timings how they compete
     * @param replicas the users that they are
     */
    Judge(Timings timings, Set<String> replicas) {
        this(timings, replicas, List.of());
    }

    /** As the other, where copies of etcd's data were put back, the first first. */
    Judge(Timings timings, Set<String> replicas, List<Restore> restores) {
        this.timings = timings;
        this.replicas = replicas;
        this.restores = List.copyOf(restores);
    }

    /** How often a copy had been put back before. */
    private int restoresBefore(AuditEvent event) {
        return (int) restores.stream()
                .filter(restore -> restore.at().isBefore(event.received()))
                .count();
    }

    /**
     * Judges all that has happened, the order does not matter.
     *
     * @param events the audit log
     * @param reconciles of each replica
     * @param suspensions when processes stood still
     * @param competitors users that take the Lease by the rules, but are not judged
     */
    List<Finding> judge(
            List<AuditEvent> events,
            Map<String, ? extends Collection<Reconcile>> reconciles,
            List<Suspension> suspensions,
            Set<String> competitors) {
        Map<String, NavigableMap<Instant, Term>> terms = terms(events, competitors);
        List<Finding> findings = new ArrayList<>();
        for (AuditEvent event : events) {
            if (event.isWrite() && replicas.contains(event.user())) {
                Finding finding = judgeWrite(event, of(terms, event.user()), suspensions);
                if (finding != null) {
                    findings.add(finding);
                }
            }
        }
        reconciles.forEach((replica, all) -> {
            List<Suspension> own = suspensions.stream()
                    .filter(suspension -> suspension.replica().equals(replica))
                    .toList();
            for (Reconcile reconcile : all) {
                Finding finding = judgeReconcile(replica, reconcile, of(terms, replica), own);
                if (finding != null) {
                    findings.add(finding);
                }
            }
        });
        findings.sort(Comparator.comparing(Finding::at));
        return findings;
    }

    private static NavigableMap<Instant, Term> of(Map<String, NavigableMap<Instant, Term>> terms, String replica) {
        return Objects.requireNonNullElseGet(terms.get(replica), TreeMap::new);
    }

    /** The times of each as the leader, by when they began. */
    private Map<String, NavigableMap<Instant, Term>> terms(List<AuditEvent> events, Set<String> competitors) {
        Map<String, NavigableMap<Instant, Term>> terms = new TreeMap<>();
        Term current = null;
        String holder = "";
        int restored = 0;
        for (AuditEvent event : leaseWrites(events, this::restoresBefore)) {
            for (; restored < restoresBefore(event); restored++) {
                Restore restore = restores.get(restored);
                if (!restore.holder().equals(holder)) {
                    if (current != null && current.end == null) {
                        current.end = new End(restore.back(), "a copy was put back", Cause.HAND);
                    }
                    current = null;
                    holder = restore.holder();
                }
            }
            String now = Objects.requireNonNull(event.lease()).holder();
            boolean own = now.startsWith(event.user() + "_");
            if (!now.equals(holder) && current != null && current.end == null) {
                // client-go makes a Lease that was deleted by hand anew at once, whoever may hold it.
                boolean byHand = !replicas.contains(event.user())
                        && (!competitors.contains(event.user()) || event.verb().equals("create"));
                boolean released = now.isEmpty() && holder.startsWith(event.user() + "_");
                current.end = new End(
                        released ? event.received() : event.completed(),
                        released ? "it gave the Lease back" : event.user() + " made '" + now + "' the holder",
                        released ? Cause.OWN : byHand ? Cause.HAND : Cause.COMPETITOR);
            }
            if (own && replicas.contains(event.user())) {
                if (!now.equals(holder) || current == null || current.end != null) {
                    current = new Term(event.received());
                    terms.computeIfAbsent(event.user(), user -> new TreeMap<>()).put(event.received(), current);
                }
                current.renewals.add(event.received());
            } else if (!now.equals(holder)) {
                current = null;
            }
            holder = now;
        }
        return terms;
    }

    /** In the order in which the API server stored them. */
    static List<AuditEvent> leaseWrites(List<AuditEvent> events) {
        return leaseWrites(events, event -> 0);
    }

    private static List<AuditEvent> leaseWrites(List<AuditEvent> events, ToIntFunction<AuditEvent> restores) {
        return events.stream()
                .filter(AuditEvent::isLeaseWrite)
                .sorted(Comparator.comparingInt(restores)
                        .thenComparingLong(
                                event -> Objects.requireNonNull(event.lease()).version()))
                .toList();
    }

    private @Nullable Finding judgeWrite(
            AuditEvent write, NavigableMap<Instant, Term> terms, List<Suspension> suspensions) {
        Instant stamped = write.stamp() == null ? write.received() : write.stamp();
        String what = "its " + write.verb() + " of " + write.resource() + " " + write.name() + " was received at "
                + write.received();
        Finding finding = judge(write.user(), write.received(), stamped, terms, what);
        if (finding == null || finding.kind() != Kind.VIOLATION) {
            return finding;
        }
        boolean onTheWire = suspensions.stream()
                .anyMatch(suspension -> suspension.replica().equals(write.user())
                        && !stamped.isAfter(suspension.from())
                        && !write.received().isBefore(suspension.until()));
        return onTheWire ? new Finding(finding.at(), finding.replica(), Kind.ON_THE_WIRE, finding.what()) : finding;
    }

    private @Nullable Finding judgeReconcile(
            String replica, Reconcile reconcile, NavigableMap<Instant, Term> terms, List<Suspension> suspensions) {
        Instant gate = reconcile.gate();
        Finding finding = judge(replica, gate, gate, terms, "a reconcile passed its gate at " + gate);
        if (finding != null) {
            return finding;
        }
        End end = Objects.requireNonNull(terms.floorEntry(gate)).getValue().end;
        if (end == null) {
            return null;
        }
        boolean late = reconcile.begin().isAfter(end.at());
        if (!late && !reconcile.end().isAfter(end.at().plus(TOLERANCE))) {
            return null;
        }
        // Not when it ended, which is known only later if it still runs.
        String what = "a reconcile that had passed its gate at " + gate
                + (late ? " began at " + reconcile.begin() : " ran") + " when at " + end.at() + " " + end.why();
        return new Finding(gate, replica, kind(reconcile, end, suspensions), what);
    }

    private Kind kind(Reconcile reconcile, End end, List<Suspension> suspensions) {
        for (Suspension suspension : suspensions) {
            if (!reconcile.gate().isAfter(suspension.from())
                    && !reconcile.end().isBefore(suspension.until())
                    && end.at().isBefore(suspension.until())) {
                return before(reconcile.end(), suspension.until().plus(SCHEDULING), Kind.ON_THE_WIRE);
            }
        }
        return switch (end.cause()) {
            // It has waited for its reconciles before.
            case OWN -> Kind.VIOLATION;
            // It had begun by right, and how long it takes to end is its own affair; the fence has its writes.
            case HAND -> Kind.AFTER_EDIT;
            case COMPETITOR -> before(reconcile.end(), end.at().plus(SCHEDULING), Kind.LATE);
        };
    }

    private static Kind before(Instant at, Instant limit, Kind kind) {
        return at.isAfter(limit) ? Kind.VIOLATION : kind;
    }

    /** When a change by hand is noticed at the latest, by the next renewal. */
    private Duration noticed() {
        return timings.retryPeriod().plus(SCHEDULING);
    }

    /**
     * Judges what a replica did.
     *
     * @param at when the API server knew of it
     * @param decided when the replica decided to do it
     */
    private @Nullable Finding judge(
            String replica, Instant at, Instant decided, NavigableMap<Instant, Term> terms, String what) {
        Map.Entry<Instant, Term> entry = terms.floorEntry(at);
        if (entry == null) {
            return new Finding(at, replica, Kind.VIOLATION, what + ", but it had not led yet");
        }
        Term term = entry.getValue();
        End end = term.end;
        if (end != null && at.isAfter(end.at())) {
            boolean soon = end.cause() == Cause.HAND && !at.isAfter(end.at().plus(noticed()));
            return new Finding(
                    at,
                    replica,
                    soon ? Kind.AFTER_EDIT : Kind.VIOLATION,
                    what + ", but at " + end.at() + " " + end.why());
        }
        Instant renewed = term.renewals.floor(decided);
        Instant last = renewed == null ? term.begin : renewed;
        if (decided.isAfter(last.plus(timings.renewDeadline()).plus(TOLERANCE))) {
            return new Finding(
                    at,
                    replica,
                    Kind.VIOLATION,
                    what + ", decided at " + decided + ", but its last renewal was received at " + last);
        }
        return null;
    }
}

package io.controllermanager.testing.failover;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
 * was suspended, and those within one retry period of a change of the holder by hand, which asks nobody whether his time is
 * over, be it by a deletion that lets client-go make the Lease anew. A reconcile that begins in the first moment after a suspension is one that the suspension found between the gate
 * and its record, at most one each time; the fence has its writes.
 */
final class Judge {

    /** How far the clocks of a record and of the audit log may be apart. */
    private static final Duration TOLERANCE = Duration.ofMillis(5);

    /** How soon after a suspension a reconcile begins that had passed the gate before. */
    private static final Duration AWAKE = Duration.ofMillis(100);

    private final Timings timings;
    private final Set<String> replicas;

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
        /** A write that was past the fence when its process was suspended. */
        ON_THE_WIRE,
        /** Work right after somebody had changed the holder by hand. */
        AFTER_EDIT
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

    /** From when on a replica may not work any more, and why. */
    private record End(Instant at, String why, boolean byHand) {}

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
        this.timings = timings;
        this.replicas = replicas;
    }

    /**
     * Judges all that has happened, the order does not matter.
     *
     * @param events the audit log
     * @param begins when each replica began a reconcile
     * @param suspensions when processes stood still
     * @param competitors users that take the Lease by the rules, but are not judged
     */
    List<Finding> judge(
            List<AuditEvent> events,
            Map<String, List<Instant>> begins,
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
        begins.forEach((replica, times) -> {
            Set<Instant> awoken = new TreeSet<>();
            for (Instant begin : times) {
                Finding finding = judgeBegin(replica, begin, of(terms, replica), suspensions, awoken);
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
        for (AuditEvent event : leaseWrites(events)) {
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
                        byHand);
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
        return events.stream()
                .filter(AuditEvent::isLeaseWrite)
                .sorted(Comparator.comparingLong(
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

    private @Nullable Finding judgeBegin(
            String replica,
            Instant begin,
            NavigableMap<Instant, Term> terms,
            List<Suspension> suspensions,
            Set<Instant> awoken) {
        Finding finding = judge(replica, begin, begin, terms, "it began a reconcile at " + begin);
        if (finding == null || finding.kind() != Kind.VIOLATION) {
            return finding;
        }
        for (Suspension suspension : suspensions) {
            if (suspension.replica().equals(replica)
                    && !begin.isBefore(suspension.until())
                    && begin.isBefore(suspension.until().plus(AWAKE))
                    && awoken.add(suspension.until())) {
                return new Finding(begin, replica, Kind.ON_THE_WIRE, finding.what());
            }
        }
        return finding;
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
            boolean soon = end.byHand() && at.isBefore(end.at().plus(timings.retryPeriod()));
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

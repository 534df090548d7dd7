package io.controllermanager.leaderelection.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether others may work for a controller by other Leases: by another number of shards, by a Lease of its own, or by the anchor
 * itself. It is asked after a Lease was taken. Then it reads the anchor, and after that the other Leases: who works has written
 * first and read then, and so has everybody else. {@code docs/election.md} says why two never work.
 */
final class DivisionCheck implements ShardAgreement {

    private static final Logger log = LoggerFactory.getLogger(DivisionCheck.class);

    /** The last answer, and when it was begun to be looked for. */
    private record Answer(long begun, @Nullable String obstacle) {}

    private record Judged(V1Lease known, @Nullable String disagreement) {}

    /** Read from the anchor once, and asked for each shard again and again. */
    private volatile @Nullable Judged judged;

    private final LeaderElector anchor;
    private final LeaderElectionConfig config;
    private final String own;
    private final Division division;
    private final Pattern shard;
    private final AtomicLong order = new AtomicLong();

    /**
     * The held Leases that others work by, by their names, as one list after another has shown them. One that is gone
     * counts as held until its time is over, as for whoever competes for it.
     */
    @GuardedBy("this")
    private Map<String, KnownLease> others = Map.of();

    @GuardedBy("this")
    private Answer last = new Answer(0, null);

    /**
     * Sends nothing yet.
     *
     * @param anchor what its Lease's name, a dash and the controller make is the name of the controller's own Lease; with a dash
     *     and the shard it is that of a shard's
     */
    DivisionCheck(LeaderElector anchor, Division division) {
        this.anchor = anchor;
        this.config = anchor.config();
        this.division = division;
        this.own = config.leaseName() + "-" + division.controller();
        this.shard = Pattern.compile(Pattern.quote(own) + "-[0-9]+-of-([0-9]+)");
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // another object is another answer
    public @Nullable String disagreement() {
        if (!config.enabled() || division.isByAnchor()) {
            return null;
        }
        V1Lease known = anchor.known().lease();
        if (known == null) {
            return "Lease " + config.lease() + " has not been read yet";
        }
        Judged latest = judged;
        if (latest == null || latest.known() != known) {
            latest = new Judged(known, division.disagreement(said(known), config.lease()));
            judged = latest;
        }
        return latest.disagreement();
    }

    @Override
    public boolean isContradicted() {
        return !agrees() && anchor.liveHolder() != null;
    }

    @Override
    public Registration onAgreement(Runnable listener) {
        return division.isByAnchor() ? () -> {} : anchor.onDivision(listener);
    }

    /** Not if it works by the anchor, and that says, as last seen, that nobody ever worked by another Lease. */
    @Override
    public boolean mayHaveObstacle() {
        return config.enabled()
                && (!division.isByAnchor() || division.others(known()).any());
    }

    private Divisions known() {
        V1Lease lease = anchor.known().lease();
        return lease == null ? Divisions.NONE : said(lease);
    }

    /**
     * {@inheritDoc} Those who ask at a time share one answer, which was begun to be looked for after each of them had asked.
     */
    @Override
    public @Nullable String obstacle() {
        if (!mayHaveObstacle()) {
            return null;
        }
        long asked = order.incrementAndGet();
        synchronized (this) {
            if (last.begun() <= asked) {
                long begun = order.incrementAndGet();
                last = new Answer(begun, ask());
            }
            return last.obstacle();
        }
    }

    private static Divisions said(V1Lease lease) {
        return Divisions.parse(Leases.shards(lease));
    }

    @GuardedBy("this")
    private @Nullable String ask() {
        try {
            V1Lease lease = division.isByAnchor() ? null : anchor.lock.get();
            Divisions said = division.isByAnchor() ? known() : lease == null ? null : said(lease);
            String disagreement = division.disagreement(said, config.lease());
            return disagreement == null && said != null ? held(division.others(said)) : disagreement;
        } catch (LeaseException e) {
            return e.getMessage();
        }
    }

    @GuardedBy("this")
    private @Nullable String held(Division.Others which) throws LeaseException {
        List<V1Lease> found = find(which);
        long now = anchor.parts.clock().nanoTime();
        listed(found, now);
        String obstacle = null;
        for (Map.Entry<String, KnownLease> other : others.entrySet()) {
            V1Lease over = other.getValue().present();
            if (over == null || !other.getValue().isExpired(config, now) || !released(other.getKey(), over)) {
                String holder = other.getValue().holder();
                obstacle = "Lease " + config.leaseNamespace() + "/" + other.getKey() + " is held by " + holder;
            }
        }
        return obstacle;
    }

    /** Those of shards are not known by their names. Without them no right is needed but that for a Lease by its name. */
    private List<V1Lease> find(Division.Others which) throws LeaseException {
        if (which.ofShards()) {
            return anchor.lock.list().stream()
                    .filter(lease ->
                            isOtherShard(lease) || (which.own() && name(lease).equals(own)))
                    .toList();
        }
        V1Lease found = which.own() ? lock(own).get() : null;
        return found == null ? List.of() : List.of(found);
    }

    private LeaseLock lock(String name) {
        return anchor.parts.locks().apply(config.withLeaseName(name));
    }

    /** Leases without a holder do not count. */
    @GuardedBy("this")
    private void listed(List<V1Lease> found, long now) {
        Map<String, KnownLease> known = new TreeMap<>();
        others.forEach((name, before) -> known.put(name, before.missing() ? before : before.gone(now)));
        known.values().removeIf(gone -> gone.isExpired(config, now));
        for (V1Lease lease : found) {
            KnownLease before = others.getOrDefault(name(lease), KnownLease.NOTHING);
            known.put(name(lease), before.seen(lease, config, false, now));
        }
        known.values().removeIf(KnownLease::isFree);
        others = known;
    }

    private static String name(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        return metadata == null || metadata.getName() == null ? "" : metadata.getName();
    }

    private boolean isOtherShard(V1Lease lease) {
        Matcher name = shard.matcher(name(lease));
        Shards shards = division.shards();
        return name.matches()
                && (!name.group(1).equals(String.valueOf(shards.count()))
                        || !shards.equals(said(lease).of(division.controller())));
    }

    /** Releases a Lease that has expired in its holder's place; not if it has changed meanwhile. */
    private boolean released(String name, V1Lease lease) throws LeaseException {
        try {
            lock(name)
                    .update(Leases.released(
                            lease, Map.of(), anchor.parts.clock().now()));
        } catch (LeaseException e) {
            if (e.beaten) {
                return false;
            }
            throw e;
        }
        log.info(
                "Lease {}/{}: released, since {} has not renewed it",
                config.leaseNamespace(),
                name,
                Leases.holder(lease));
        return true;
    }
}

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
 * Whether others may work for a controller by another number of shards. It is asked after a Lease was taken. Then it reads
 * the anchor, and after that lists the Leases: who works has written first and read then, and so has everybody else.
 * {@code docs/election.md} says why two never work.
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
    private final String controller;
    private final Shards shards;
    private final Pattern shard;
    private final AtomicLong order = new AtomicLong();

    /**
     * The held Leases of shards by other numbers, by their names, as one list after another has shown them. One that is gone
     * counts as held until its time is over, as for whoever competes for it.
     */
    @GuardedBy("this")
    private Map<String, KnownLease> others = Map.of();

    @GuardedBy("this")
    private Answer last = new Answer(0, null);

    /**
     * Sends nothing yet.
     *
     * @param prefix what the names of the shards' Leases begin with, before a dash and the shard
     * @param shards how the controller is divided here; one shard if it is not, and works by the anchor itself
     */
    DivisionCheck(LeaderElector anchor, String prefix, String controller, Shards shards) {
        this.anchor = anchor;
        this.config = anchor.config();
        this.controller = controller;
        this.shards = shards;
        this.shard = Pattern.compile(Pattern.quote(prefix) + "-[0-9]+-of-([0-9]+)");
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // another object is another answer
    public @Nullable String disagreement() {
        if (!config.enabled() || !shards.divide()) {
            return null;
        }
        V1Lease known = anchor.known().lease();
        if (known == null) {
            return "Lease " + config.lease() + " has not been read yet";
        }
        Judged latest = judged;
        if (latest == null || latest.known() != known) {
            latest = new Judged(known, disagreement(known));
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
        return shards.divide() ? anchor.onDivision(listener) : () -> {};
    }

    /** Not if the anchor, as last seen, says that nobody else can hold shards. */
    @Override
    public boolean mayHaveObstacle() {
        V1Lease held = anchor.known().lease();
        return config.enabled()
                && (shards.divide() || (held != null && said(held).mentions(controller)));
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
            String disagreement = shards.divide() ? disagreement(anchor.lock.get()) : null;
            return disagreement == null ? held() : disagreement;
        } catch (LeaseException e) {
            return e.getMessage();
        }
    }

    /** How the anchor disagrees with the number of shards here, null if it agrees. */
    private @Nullable String disagreement(@Nullable V1Lease lease) {
        Shards said = lease == null ? null : said(lease).of(controller);
        if (shards.equals(said)) {
            return null;
        }
        String says = lease == null
                ? " is missing"
                : said == null
                        ? " does not say that " + controller + " has shards"
                        : " says that " + controller + " has " + shown(said);
        return "Lease " + config.lease() + says + ", and this process has " + shown(shards);
    }

    private static String shown(Shards shards) {
        return shards.divide() ? shards.count() + " shards by " + shards.by().word() : "1 shard";
    }

    @GuardedBy("this")
    private @Nullable String held() throws LeaseException {
        List<V1Lease> found = anchor.lock.list().stream().filter(this::isOther).toList();
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

    private boolean isOther(V1Lease lease) {
        Matcher name = shard.matcher(name(lease));
        return name.matches()
                && (!name.group(1).equals(String.valueOf(shards.count()))
                        || !shards.equals(said(lease).of(controller)));
    }

    /** Releases a Lease that has expired in its holder's place; not if it has changed meanwhile. */
    private boolean released(String name, V1Lease lease) throws LeaseException {
        LeaderElectionConfig other = config.withLeaseName(name);
        try {
            V1Lease free = Leases.released(lease, Map.of(), anchor.parts.clock().now());
            anchor.parts.locks().apply(other).update(free);
        } catch (LeaseException e) {
            if (e.beaten) {
                return false;
            }
            throw e;
        }
        log.info("Lease {}: released, since {} has not renewed it", other.lease(), Leases.holder(lease));
        return true;
    }
}

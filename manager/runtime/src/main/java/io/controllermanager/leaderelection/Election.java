package io.controllermanager.leaderelection;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.LeaseException.Reason;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One start-to-stop run of a {@link LeaderElector}. Requests are sent by one thread and never under this object's
 * monitor, so that the renew deadline, writes and status are served while a request hangs. The order of steps within an
 * attempt is {@code tryAcquireOrRenew}'s in client-go's {@code leaderelection.go}.
 */
final class Election implements LeaseObserver {

    private static final Logger log = LoggerFactory.getLogger(Election.class);

    /** How long after a Lease's end standbys spread their first try. */
    private static final Duration EXPIRY_SPREAD = Duration.ofMillis(100);

    /** Within which time standbys spread their tries for a Lease that was released. */
    static final int FREE_SPREAD_MILLIS = 25;

    /** How long a Lease that was given up for a process is left to that one. */
    private static final Duration RESERVED = Duration.ofSeconds(1);

    private final LeaderElectionConfig config;
    private final LeaseLock lock;
    private final Clock clock;
    private final Timer timer;
    private final Executor requests;
    private final Executor notices;
    private final LeadershipListener listener;
    private final ElectionMetrics metrics;
    private final DoubleSupplier random;
    private final Companions companions;

    /** A release is tried again at once: the process is about to end. */
    private static final int RELEASE_ATTEMPTS = 3;

    /** Null unless leading; read without the monitor by those about to write. */
    private volatile @Nullable Term term;

    /** When the loop last showed a sign of life. */
    private volatile long lastTurn;

    /** Read without the monitor, by elections of other Leases that hold theirs. */
    private volatile @Nullable Sighting sighting;

    // Guarded by this object's monitor.
    private @Nullable V1Lease observed;
    private long observedAt;
    /** What the last holder left with the Lease, until another than this process has taken it. */
    private Map<String, String> left = Map.of();

    /** Since when the Lease has been asked for by the one who asks for it now. */
    private long wishSeenAt;

    private boolean absent;
    private @Nullable Long renewedAt;
    private boolean stopped;
    private boolean resigning;
    private volatile boolean aside;
    private boolean attempting;
    private boolean again;
    private boolean beaten;
    private Timer.@Nullable Cancellable nextAttempt;
    private Timer.@Nullable Cancellable deadline;
    private @Nullable String lastError;
    private @Nullable String watchError;
    private @Nullable Registration watch;
    private @Nullable String reportedHolder;

    /** Leadership from one acquisition to its loss. */
    private record Term(Instant acquiredAt, Map<String, String> legacy, long provenUntil) {}

    /** The Lease as it was last seen, and until when it lasts like that. */
    private record Sighting(Spread.Held held, long until) {}

    Election(
            LeaderElectionConfig config,
            LeaseLock lock,
            Clock clock,
            Timer timer,
            Executor requests,
            Executor notices,
            LeadershipListener listener,
            ElectionMetrics metrics,
            DoubleSupplier random,
            Companions companions) {
        this.config = config;
        this.lock = lock;
        this.clock = clock;
        this.timer = timer;
        this.requests = requests;
        this.notices = notices;
        this.listener = listener;
        this.metrics = metrics;
        this.random = random;
        this.companions = companions;
        this.lastTurn = clock.nanoTime();
    }

    void start() {
        log.atInfo()
                .addKeyValue("lease", lock.describe())
                .addKeyValue("identity", config.identity())
                .log("Lease {}: competing as {}", lock.describe(), config.identity());
        synchronized (this) {
            attempting = true;
        }
        // Under no monitor: whoever watches may hold one of its own while it tells of changes.
        Registration watching = lock.watch(this);
        synchronized (this) {
            watch = watching;
            if (stopped) {
                watching.close();
            }
        }
        requests.execute(this::attempt);
    }

    void stop() {
        CountDownLatch ended = new CountDownLatch(1);
        synchronized (this) {
            stopped = true;
            cancel(nextAttempt);
            lose("stopped");
            if (watch != null) {
                watch.close();
            }
        }
        // Behind the notice of the loss, which is queued already: the Lease must not be free before it was given.
        notices.execute(() -> requests.execute(() -> {
            try {
                if (stillWishes()) {
                    removeWish();
                }
                if (config.releaseOnStop()) {
                    release();
                }
            } finally {
                ended.countDown();
                LeaderElector.end(requests);
            }
        }));
        try {
            if (!ended.await(config.renewDeadline().toNanos(), TimeUnit.NANOSECONDS)) {
                log.atWarn()
                        .addKeyValue("lease", lock.describe())
                        .log(
                                "Lease {}: could not be released in time; others take it once it has expired",
                                lock.describe());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LeaderElector.end(notices);
    }

    /** As {@link #stop}, to go on competing. */
    boolean resign() {
        synchronized (this) {
            if (stopped || resigning || term == null) {
                return false;
            }
            resigning = true;
            cancel(nextAttempt);
            lose("given to " + (observed == null ? null : Leases.preferredHolder(observed)));
        }
        notices.execute(() -> requests.execute(() -> {
            try {
                release();
            } finally {
                compete();
            }
        }));
        return true;
    }

    private synchronized void compete() {
        resigning = false;
        if (!stopped) {
            attemptAfter(untilNextAttempt());
        }
    }

    /** Asks the holder, if that is another process, for the Lease. */
    void ask() {
        synchronized (this) {
            if (stopped || term != null || aside) {
                return;
            }
        }
        requests.execute(this::sendWish);
    }

    private void sendWish() {
        synchronized (this) {
            if (stopped) {
                return;
            }
        }
        try {
            V1Lease current = lock.get();
            if (current == null || !isOthers(current) || Leases.preferredHolder(current) != null || aside) {
                return;
            }
            wrote(lock.update(Leases.preferring(current, config.identity())), current);
            log.atInfo()
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("holder", Leases.holder(current))
                    .log("Lease {}: asked {} for it, which has more to do", lock.describe(), Leases.holder(current));
        } catch (LeaseException | RuntimeException e) {
            log.atDebug().addKeyValue("lease", lock.describe()).setCause(e).log("The Lease was not asked for");
        }
    }

    /** Asks no longer for the Lease, if this process has. */
    void takeBack() {
        synchronized (this) {
            if (stopped || !wishes()) {
                return;
            }
        }
        requests.execute(this::removeWish);
    }

    /** Called under the monitor. */
    private boolean wishes() {
        return observed != null && !absent && term == null && isWished(observed);
    }

    private synchronized boolean stillWishes() {
        return wishes();
    }

    private boolean isWished(V1Lease lease) {
        return !isOurs(lease) && config.identity().equals(Leases.preferredHolder(lease));
    }

    private void removeWish() {
        try {
            V1Lease current = lock.get();
            if (current != null && isWished(current)) {
                V1Lease stored = lock.update(Leases.withoutPreference(current));
                wrote(stored, current);
            }
        } catch (LeaseException | RuntimeException e) {
            // Its holder removes it in time.
            log.atDebug().addKeyValue("lease", lock.describe()).setCause(e).log("A wish was not taken back");
        }
    }

    /** Leaves the Lease to others from now on, unless this process holds it, or competes for it again. */
    void standAside(boolean now) {
        synchronized (this) {
            if (aside == now) {
                return;
            }
            aside = now;
        }
        if (now) {
            takeBack();
        } else {
            retryNow();
        }
    }

    /** Whether this process may not take the Lease; called under the monitor. */
    private boolean onlyLooks() {
        return aside && term == null;
    }

    Spread.@Nullable Held held() {
        Sighting seen = sighting;
        if (seen == null) {
            return null;
        }
        boolean over = clock.nanoTime() - seen.until() >= 0;
        return over ? new Spread.Held(seen.held().name(), "", seen.held().preferredHolder()) : seen.held();
    }

    boolean isLeading() {
        Term current = term;
        return current != null && clock.nanoTime() - current.provenUntil() < 0;
    }

    Map<String, String> inherited() {
        Term current = term;
        return current == null ? Map.of() : current.legacy();
    }

    @Nullable
    synchronized V1Lease lease() {
        return observed;
    }

    void retryNow() {
        synchronized (this) {
            if (stopped || resigning) {
                return;
            }
            if (attempting) {
                again = true;
                return;
            }
            cancel(nextAttempt);
            attempting = true;
        }
        requests.execute(this::attempt);
    }

    synchronized LeadershipStatus status() {
        Term current = term;
        V1Lease lease = observed;
        return new LeadershipStatus(
                true,
                lock.describe(),
                config.identity(),
                isLeading(),
                lease == null || absent ? null : emptyToNull(Leases.holder(lease)),
                current == null ? null : current.acquiredAt(),
                renewedAt == null ? null : Duration.ofNanos(clock.nanoTime() - renewedAt),
                lease == null ? 0 : Leases.transitions(lease),
                lastError,
                watchError);
    }

    boolean healthy(Duration tolerance) {
        long limit = config.leaseDuration().plus(tolerance).toNanos();
        long now = clock.nanoTime();
        if (now - lastTurn > limit) {
            return false;
        }
        synchronized (this) {
            return term == null || renewedAt == null || now - renewedAt <= limit;
        }
    }

    /** The Lease has changed, which its holder may be the last to know. */
    @Override
    public synchronized void seen(V1Lease lease) {
        V1Lease before = observed;
        if (stopped || (before != null && !Leases.isNewer(lease, before))) {
            return;
        }
        String wisher = before == null ? null : Leases.preferredHolder(before);
        boolean wasFree = before != null && !absent && Leases.holder(before).isEmpty();
        observe(lease);
        boolean free = Leases.holder(lease).isEmpty();
        if (!isOurs(lease)) {
            lose(free ? "released by someone else" : "held by " + Leases.holder(lease));
        }
        String wishes = Leases.preferredHolder(lease);
        boolean asked = term != null && wishes != null && !wishes.equals(wisher);
        if (attempting) {
            // What it has read may be of before.
            again |= free || asked;
        } else if (free) {
            attemptAfter(freeSpread().plus(courtesyLeft()));
        } else if (asked) {
            attemptAfter(Duration.ZERO);
        } else if (wasFree && term == null) {
            // Another was faster.
            attemptAfter(untilNextAttempt());
        }
    }

    /** The Lease is gone: its holder makes it again at once, others wait until its time is over. */
    @Override
    public synchronized void deleted(V1Lease lease) {
        V1Lease before = observed;
        if (stopped || absent || (before != null && Leases.isNewer(before, lease))) {
            return;
        }
        observe(lease);
        absent = true;
        observedAt = clock.nanoTime();
        if (attempting) {
            again = true;
        } else if (term != null || Leases.holder(lease).isEmpty()) {
            attemptAfter(freeSpread());
        }
    }

    @Override
    public synchronized void interrupted(@Nullable String why) {
        if (stopped) {
            return;
        }
        if (why != null && watchError == null) {
            log.atWarn()
                    .addKeyValue("lease", lock.describe())
                    .log("{}; a released Lease is noticed at the next poll only", why);
        } else if (why == null && watchError != null) {
            log.atInfo().addKeyValue("lease", lock.describe()).log("Lease {}: watched again", lock.describe());
        }
        watchError = why;
    }

    /** Called under the monitor. */
    private void attemptAfter(Duration delay) {
        cancel(nextAttempt);
        nextAttempt = timer.schedule(delay, this::fromTimer);
    }

    private void attempt() {
        synchronized (this) {
            if (stopped || resigning) {
                attempting = false;
                return;
            }
            attempting = true;
            again = false;
            beaten = false;
        }
        lastTurn = clock.nanoTime();
        String error = null;
        Throwable unexpected = null;
        try {
            acquireOrRenew();
        } catch (LeaseException e) {
            error = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            // Whatever it is, an election that ends by it would be worse.
            error = "Lease " + lock.describe() + ": " + FailureMessage.of(e);
            unexpected = e;
        }
        lastTurn = clock.nanoTime();
        synchronized (this) {
            attempting = false;
            report(error, unexpected);
            if (!stopped && !resigning) {
                attemptAfter(again ? Duration.ZERO : beaten ? freeSpread() : untilNextAttempt());
            }
        }
    }

    private void fromTimer() {
        synchronized (this) {
            if (stopped || resigning || attempting) {
                return;
            }
            attempting = true;
        }
        requests.execute(this::attempt);
    }

    private void acquireOrRenew() throws LeaseException {
        boolean leading = term != null;
        try {
            acquireOrRenewOnce();
        } catch (LeaseException | RuntimeException e) {
            if (leading) {
                metrics.failedToRenew();
            }
            throw e;
        }
    }

    private void acquireOrRenewOnce() throws LeaseException {
        if (writesUnread()) {
            return;
        }
        V1Lease before;
        synchronized (this) {
            if (stopped) {
                return;
            }
            before = observed;
        }
        V1Lease current = lock.get();
        lastTurn = clock.nanoTime();
        try {
            if (current == null) {
                make();
            } else {
                take(current, before);
            }
        } catch (LeaseException e) {
            if (e.reason() == Reason.FAILED) {
                throw e;
            }
            log.atDebug().addKeyValue("lease", lock.describe()).log("Another was faster: {}", e.getMessage());
            synchronized (this) {
                // A leader has to know soon by whom.
                beaten = term != null;
            }
        }
    }

    /**
     * Renews the Lease as this process last wrote it, or takes one that was given back, without reading it before; the
     * API server refuses that if it has changed since. Whether that was possible.
     */
    private boolean writesUnread() throws LeaseException {
        V1Lease known;
        V1Lease next;
        synchronized (this) {
            known = observed;
            if (known == null || absent) {
                return false;
            }
            if (term != null && isOurs(known)) {
                next = Leases.renewed(known, config, clock.now());
            } else if (term == null && Leases.holder(known).isEmpty() && !onlyLooks() && !isLeftToOthers()) {
                next = Leases.taken(known, config, clock.now());
            } else {
                return false;
            }
        }
        if (isOurs(known)) {
            next = answered(next);
        }
        long sent = clock.nanoTime();
        try {
            held(lock.update(next), known, sent);
            return true;
        } catch (LeaseException e) {
            if (e.reason() == Reason.FAILED) {
                throw e;
            }
            // Changed or gone: it is read, and then decided anew.
            return false;
        } finally {
            lastTurn = clock.nanoTime();
        }
    }

    /** The Lease to renew: without another's wish for it if nothing comes of that. */
    private V1Lease answered(V1Lease own) {
        String asker = Leases.preferredHolder(own);
        return asker == null || companions.considers(config.leaseName(), asker, wishAge(), this::handsOver)
                ? own
                : Leases.withoutPreference(own);
    }

    private synchronized Duration wishAge() {
        return Duration.ofNanos(clock.nanoTime() - wishSeenAt);
    }

    private boolean handsOver() {
        return says("onAsked", listener::onAsked);
    }

    private void make() throws LeaseException {
        V1Lease before;
        V1Lease lease;
        synchronized (this) {
            if (!absent) {
                // Its holder may have renewed it right before it was deleted: it has all its time from here on.
                absent = true;
                observedAt = clock.nanoTime();
            }
            before = observed;
            if ((before != null && isOthers(before) && !expired(before)) || onlyLooks() || isLeftToOthers()) {
                return;
            }
            lease = before != null && isOurs(before) && term != null
                    ? Leases.remade(before, config, clock.now())
                    : Leases.made(config, clock.now());
        }
        long sent = clock.nanoTime();
        held(lock.create(lease), before, sent);
    }

    private void take(V1Lease read, @Nullable V1Lease before) throws LeaseException {
        V1Lease current;
        V1Lease lease;
        synchronized (this) {
            current = newest(read, before);
            observe(current);
            if (!isOurs(current)) {
                lose(isOthers(current) ? "held by " + Leases.holder(current) : "released by someone else");
            }
            boolean held = isOthers(current)
                    && !expired(current)
                    && !PodIdentity.isEarlierProcess(Leases.holder(current), config.identity());
            if (stopped || held || onlyLooks() || isLeftToOthers()) {
                return;
            }
            if (isOurs(current)) {
                if (term != null) {
                    metrics.slowPath();
                }
                lease = Leases.renewed(current, config, clock.now());
            } else {
                lease = Leases.taken(current, config, clock.now());
            }
        }
        long sent = clock.nanoTime();
        held(lock.update(lease), current, sent);
    }

    /**
     * The answer to a request, or what the watch has told while it was under way if that is newer. What was known before is
     * not compared: versions go back when etcd is restored from a backup.
     */
    private V1Lease newest(V1Lease answer, @Nullable V1Lease before) {
        V1Lease told = observed;
        boolean news = told != null && (before == null || Leases.isNewer(told, before));
        return told != null && news && !absent && Leases.isNewer(told, answer) ? told : answer;
    }

    /** The local time counts from when a state of the Lease was first seen: another machine's clock is not trusted. */
    private void observe(V1Lease current) {
        V1Lease before = observed;
        if (before == null || absent || !Objects.equals(before.getSpec(), current.getSpec())) {
            observedAt = clock.nanoTime();
        }
        String wisher = Leases.preferredHolder(current);
        if (before == null || !Objects.equals(wisher, Leases.preferredHolder(before))) {
            wishSeenAt = clock.nanoTime();
        }
        observed = current;
        absent = false;
        sighting = new Sighting(
                new Spread.Held(config.leaseName(), Leases.holder(current), Leases.preferredHolder(current)),
                expiresAt(current));
        String holder = Leases.holder(current);
        if (holder.isEmpty()) {
            left = Leases.legacy(current);
        } else if (!isOurs(current)) {
            left = Map.of();
        }
        if (!holder.isEmpty() && !isOurs(current) && !holder.equals(reportedHolder)) {
            log.atInfo()
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("holder", holder)
                    .log("Lease {}: held by {}; standing by", lock.describe(), holder);
        }
        reportedHolder = holder;
    }

    /** The Lease is stored as written on top of what was known before; unless somebody has been at it since. */
    private synchronized void held(V1Lease stored, @Nullable V1Lease before, long sent) {
        V1Lease newest = newest(stored, before);
        observe(newest);
        if (!isOurs(newest)) {
            // Somebody has edited it since, which the watch was quicker to tell than the answer came.
            return;
        }
        long provenUntil = sent + config.renewDeadline().toNanos();
        if (stopped || resigning || clock.nanoTime() - provenUntil >= 0) {
            // The answer took so long that it proves nothing any more.
            return;
        }
        renewedAt = sent;
        metrics.renewed(Duration.ofNanos(clock.nanoTime() - sent));
        Term led = term;
        term = led == null
                ? new Term(clock.now(), left, provenUntil)
                : new Term(led.acquiredAt(), led.legacy(), provenUntil);
        cancel(deadline);
        deadline = timer.schedule(Duration.ofNanos(provenUntil - clock.nanoTime()), () -> checkDeadline(provenUntil));
        if (led == null) {
            notices.execute(() -> tell("onAcquired", listener::onAcquired));
            log.atInfo()
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("identity", config.identity())
                    .addKeyValue("transitions", Leases.transitions(stored))
                    .log("Lease {}: became leader", lock.describe());
        }
    }

    private synchronized void checkDeadline(long provenUntil) {
        Term current = term;
        if (current != null && current.provenUntil() == provenUntil) {
            lose("not renewed for " + config.renewDeadline().toMillis() + " ms");
        }
    }

    /** Called under the monitor. */
    private void lose(String why) {
        if (term == null) {
            return;
        }
        term = null;
        notices.execute(() -> tell("onLost", listener::onLost));
        companions.ended(config.leaseName());
        cancel(deadline);
        if (stopped) {
            log.atInfo()
                    .addKeyValue("lease", lock.describe())
                    .log("Lease {}: no longer leader, because of the stop", lock.describe());
        } else if (resigning) {
            log.atInfo()
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("reason", why)
                    .log("Lease {}: no longer leader, {}; standing by", lock.describe(), why);
        } else {
            log.atWarn()
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("reason", why)
                    .log("Lease {}: leadership lost, {}; standing by", lock.describe(), why);
        }
    }

    private void tell(String what, Runnable notice) {
        try {
            notice.run();
        } catch (RuntimeException | Error e) {
            listenerFailed(what, e);
        }
    }

    private void release() {
        V1Lease lease;
        synchronized (this) {
            lease = observed;
            if (lease == null || absent || !isOurs(lease)) {
                return;
            }
        }
        if (!says("hasEnded", listener::hasEnded)) {
            log.atWarn()
                    .addKeyValue("lease", lock.describe())
                    .log(
                            "Lease {}: not released, since not all work has ended; others take it once it has expired",
                            lock.describe());
            return;
        }
        Map<String, String> legacy = legacy();
        Exception failure = null;
        for (int i = 0; i < RELEASE_ATTEMPTS && lease != null && isOurs(lease); i++) {
            try {
                V1Lease known = lease;
                lease = lock.update(Leases.released(lease, legacy, clock.now()));
                wrote(lease, known);
            } catch (LeaseException | RuntimeException e) {
                failure = e;
                // Changed since (a label set by hand), or released without an answer: as it is now.
                lease = reread(lease);
            }
        }
        if (lease != null && isOurs(lease)) {
            log.atWarn()
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("cause", failure == null ? null : failure.getMessage())
                    .log(
                            "Lease {}: could not be released; others take it once it has expired: {}",
                            lock.describe(),
                            failure == null ? "it is still held" : failure.getMessage());
        } else {
            log.atInfo().addKeyValue("lease", lock.describe()).log("Lease {}: released", lock.describe());
        }
    }

    /** The Lease as it is now, null if there is none; as it was known if that cannot be told. */
    private @Nullable V1Lease reread(V1Lease known) {
        try {
            return lock.get();
        } catch (LeaseException | RuntimeException e) {
            return known;
        }
    }

    private synchronized void wrote(V1Lease stored, V1Lease before) {
        observe(newest(stored, before));
    }

    /** The listener's answer; no if it fails. */
    private boolean says(String what, BooleanSupplier question) {
        try {
            return question.getAsBoolean();
        } catch (RuntimeException | Error e) {
            listenerFailed(what, e);
            return false;
        }
    }

    private void listenerFailed(String what, Throwable failure) {
        log.atError()
                .addKeyValue("lease", lock.describe())
                .setCause(failure)
                .log("Lease {}: the listener failed in {}: {}", lock.describe(), what, FailureMessage.of(failure));
    }

    private Map<String, String> legacy() {
        try {
            return listener.legacy();
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("lease", lock.describe())
                    .setCause(e)
                    .log(
                            "Lease {}: what the next leader is to know could not be collected: {}",
                            lock.describe(),
                            FailureMessage.of(e));
            return Map.of();
        }
    }

    /**
     * Far more often short than long: half of all take less than an eighth of the time, so that one standby alone loses
     * little, while some of many are so late that they see who was faster.
     */
    private Duration freeSpread() {
        double chance = random.getAsDouble();
        return Duration.ofNanos((long) (FREE_SPREAD_MILLIS * 1e6 * chance * chance * chance));
    }

    private Duration untilNextAttempt() {
        if (term != null) {
            return config.retryPeriod();
        }
        double factor = 1 + random.getAsDouble() * LeaderElectionConfig.JITTER_FACTOR;
        Duration period = Duration.ofNanos((long) (config.retryPeriod().toNanos() * factor));
        Duration left = courtesyLeft();
        if (!left.isZero()) {
            return left.compareTo(period) < 0 ? left : period;
        }
        V1Lease lease = observed;
        if (lease == null || !isOthers(lease) || expired(lease)) {
            return period;
        }
        Duration spread = Duration.ofNanos((long) (EXPIRY_SPREAD.toNanos() * random.getAsDouble()));
        Duration expiry = Duration.ofNanos(expiresAt(lease) - clock.nanoTime()).plus(spread);
        return expiry.compareTo(period) < 0 ? expiry : period;
    }

    private Duration longestPause() {
        return Duration.ofNanos((long) (config.retryPeriod().toNanos() * (1 + LeaderElectionConfig.JITTER_FACTOR)));
    }

    private boolean isLeftToOthers() {
        return !courtesyLeft().isZero();
    }

    /** For how much longer a Lease that can be had is left to others; called under the monitor. */
    private Duration courtesyLeft() {
        V1Lease lease = observed;
        if (term != null || (lease == null && !absent)) {
            return Duration.ZERO;
        }
        long since = observedAt;
        String preferred = null;
        if (lease != null) {
            boolean free = Leases.holder(lease).isEmpty();
            if (!free && (isOurs(lease) || !expired(lease))) {
                return Duration.ZERO;
            }
            since = free ? observedAt : expiresAt(lease);
            preferred = free ? Leases.preferredHolder(lease) : null;
        }
        // Who may not watch must think that the other may not either, and polls.
        Duration reserved = watchError == null ? RESERVED : longestPause().plus(RESERVED);
        Duration courtesy = companions.courtesy(preferred, reserved);
        long left = since + courtesy.toNanos() - clock.nanoTime();
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    private boolean expired(V1Lease lease) {
        return clock.nanoTime() - expiresAt(lease) >= 0;
    }

    private long expiresAt(V1Lease lease) {
        return observedAt + Leases.duration(lease, config.leaseDuration()).toNanos();
    }

    private boolean isOurs(V1Lease lease) {
        return Leases.holder(lease).equals(config.identity());
    }

    private boolean isOthers(V1Lease lease) {
        return !Leases.holder(lease).isEmpty() && !isOurs(lease);
    }

    /** Errors name the Lease themselves, since health shows them as well. */
    private void report(@Nullable String error, @Nullable Throwable unexpected) {
        if (error != null && !error.equals(lastError)) {
            log.atLevel(unexpected == null ? Level.WARN : Level.ERROR)
                    .addKeyValue("lease", lock.describe())
                    .addKeyValue("leading", term != null)
                    .setCause(unexpected)
                    .log("Leader election: {}; retrying", error);
        } else if (error == null && lastError != null) {
            log.atInfo().addKeyValue("lease", lock.describe()).log("Lease {}: can be reached again", lock.describe());
        }
        lastError = error;
    }

    private static void cancel(Timer.@Nullable Cancellable task) {
        if (task != null) {
            task.cancel();
        }
    }

    private static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}

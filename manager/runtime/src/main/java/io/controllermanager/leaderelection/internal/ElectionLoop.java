package io.controllermanager.leaderelection.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.leaderelection.internal.LeaseException.Reason;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One start-to-stop run of a {@link LeaderElector}: holds the {@link ElectionState}, executes its commands and tells it
 * what comes of them.
 *
 * <p>Any thread may bring an event. Transitions happen one at a time under this object's monitor, which is held for a pure
 * function and for handing commands to executors and timers, never for a request or a call of the listener. A thread of its
 * own would put a hop into each renewal, and {@link LeaderElector#resign} and {@link #stop} must have taken effect when they return. The
 * state is replaced as a whole, so that the fence, health and status read it without the monitor.
 *
 * <p>The request thread does one task at a time: it sends a request, brings the answer as an event and gets the next request
 * from that transition.
 */
final class ElectionLoop {

    private static final Logger log = LoggerFactory.getLogger(ElectionLoop.class);

    private final LeaderElector elector;
    private final LeaderElectionConfig config;
    private final ElectionParts parts;
    private final LeaseBalance balance;
    private final LeadershipListener listener;
    private final Executor requests;
    private final Executor notices;
    private final CountDownLatch ended = new CountDownLatch(1);

    @GuardedBy("this")
    private final Alarm attempt = new Alarm();

    @GuardedBy("this")
    private final Alarm deadline = new Alarm();

    /** Written under the monitor, read by any thread. */
    private volatile ElectionState state;

    /** When the request thread last showed a sign of life. */
    private volatile long aliveAt;

    /** Used by {@link #start} and {@link #stop} only, which the elector calls one after the other. */
    private Registration watch = () -> {};

    /** Sends nothing before {@link #start}. */
    ElectionLoop(LeaderElector elector, LeadershipListener listener) {
        this.elector = elector;
        this.config = elector.config();
        this.parts = elector.parts;
        this.balance = elector.balance;
        this.listener = listener;
        this.requests = parts.threads().executor("controller-manager-leader-election");
        this.notices = parts.threads().executor("controller-manager-leadership");
        this.state = ElectionState.initial(config);
        this.aliveAt = parts.clock().nanoTime();
    }

    void start() {
        log(Level.INFO, "competing as " + config.identity(), null);
        watch = elector.lock.watch(this::take);
        requests.execute(() -> work(new AttemptTask()));
    }

    /** Ceases to lead at once, and waits until the Lease is released, at most for the renew deadline. */
    void stop() {
        take(ElectionEvent.Signal.STOP);
        watch.close();
        try {
            if (!ended.await(config.renewDeadline().toNanos(), TimeUnit.NANOSECONDS)) {
                log(Level.WARN, "could not be released in time; others take it once it has expired", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ElectionThreads.end(notices);
    }

    ElectionState state() {
        return state;
    }

    /** Whether the request thread goes on, and renews if this process leads. */
    boolean healthy(Duration tolerance) {
        long now = parts.clock().nanoTime();
        long limit = config.leaseDuration().plus(tolerance).toNanos();
        Long renewedAt = state.term() == null ? null : state.renewedAt();
        return now - aliveAt <= limit && (renewedAt == null || now - renewedAt <= limit);
    }

    /** Brings an event. */
    synchronized ElectionState.Next take(ElectionEvent event) {
        Moment now = balance.now(elector.standsAside());
        ElectionState before = state;
        ElectionState.Next next = before.next(event, now);
        ElectionState after = next.state();
        if (next.commands().contains(ElectionCommand.Simple.TELL_ACQUIRED)) {
            elector.terms.incrementAndGet();
        }
        state = after;
        attempt.follow(after.attemptAt(), now);
        deadline.follow(after.deadline(), now);
        Long renewedAt = after.renewedAt();
        if (renewedAt != null && !renewedAt.equals(before.renewedAt())) {
            elector.metrics.renewals.record(Duration.ofNanos(now.nanos() - renewedAt));
        }
        next.commands().forEach(this::execute);
        if (after.phase() != ElectionState.Phase.STOPPING && !Objects.equals(said(before), said(after))) {
            tell("onDivision", () -> elector.divisionListeners.forEach(Runnable::run));
        }
        return next;
    }

    /** What the Lease says about shards. */
    private static @Nullable String said(ElectionState state) {
        V1Lease lease = state.known().lease();
        return lease == null ? null : Leases.shards(lease);
    }

    /** This process is about to ask for the Lease. A listener that fails gives up. */
    void beforeAsking(LeadershipListener.Asking asking) {
        tell("beforeAsking", () -> {
            try {
                listener.beforeAsking(asking);
            } catch (RuntimeException | Error e) {
                asking.giveUp();
                throw e;
            }
        });
    }

    private void execute(ElectionCommand command) {
        if (command instanceof ElectionCommand.Simple simple) {
            switch (simple) {
                case TELL_ACQUIRED -> {
                    tell("onAcquired", listener::onAcquired);
                    balance.acquired(config.leaseName());
                }
                case TELL_LOST -> {
                    tell("onLost", listener::onLost);
                    elector.keep();
                }
                case DOUBT_STORAGE -> parts.onOlderLease().run();
                case END_HAND_OVER -> elector.keep();
                case END -> {
                    ended.countDown();
                    ElectionThreads.end(requests);
                }
            }
        } else if (command instanceof ElectionCommand.Work work) {
            requests.execute(() -> work(work.task()));
        } else if (command instanceof ElectionCommand.Release release) {
            notices.execute(() -> release(release.stop()));
        } else if (command instanceof ElectionCommand.Consider consider) {
            notices.execute(() -> consider(consider));
        } else if (command instanceof ElectionCommand.Log entry) {
            log.atLevel(parts.level(entry.level()))
                    .addKeyValue("lease", config.lease())
                    .addKeyValue("identity", config.identity())
                    .setCause(entry.cause())
                    .log(entry.message());
        }
    }

    private void log(Level level, String message, @Nullable Throwable cause) {
        execute(new ElectionCommand.Log(level, "Lease " + config.lease() + ": " + message, cause));
    }

    // The request thread

    private void work(ElectionTask task) {
        ElectionTask.Request request = requestAfter(new ElectionEvent.Turn(task));
        while (request != null) {
            ElectionEvent answer = send(request);
            try {
                request = requestAfter(answer);
            } catch (RuntimeException | Error e) {
                // A Lease of a kind that nobody expects. The task has failed, the election goes on.
                request = requestAfter(failed(request, e));
            }
        }
    }

    /** The request that follows from an event, null if none does. */
    private ElectionTask.@Nullable Request requestAfter(ElectionEvent event) {
        aliveAt = parts.clock().nanoTime();
        for (ElectionCommand command : take(event).commands()) {
            if (command instanceof ElectionCommand.Send send) {
                return send.request();
            }
        }
        return null;
    }

    private ElectionEvent send(ElectionTask.Request request) {
        LeaseLock lock = elector.lock;
        V1Lease lease = request.lease();
        boolean renewal = request.task() instanceof AttemptTask && state.term() != null;
        try {
            if (lease == null) {
                return new ElectionEvent.Read(request, lock.get());
            }
            if (renewal && request.number() > 0) {
                elector.metrics.slowPath.increment();
            }
            // Leadership is proven from here on, not from the answer.
            long sentAt = parts.clock().nanoTime();
            V1Lease stored = Leases.isUnstored(lease) ? lock.create(lease) : lock.update(lease);
            return new ElectionEvent.Stored(request, stored, sentAt);
        } catch (LeaseException e) {
            if (e.reason() != Reason.FAILED) {
                log(Level.DEBUG, "another was faster: " + e.getMessage(), null);
                return new ElectionEvent.Refused(request);
            }
            elector.metrics.failures.increment(renewal ? 1 : 0);
            return new ElectionEvent.Failed(request, String.valueOf(e.getMessage()), null);
        } catch (RuntimeException | Error e) {
            elector.metrics.failures.increment(renewal ? 1 : 0);
            return failed(request, e);
        }
    }

    private ElectionEvent failed(ElectionTask.Request request, Throwable unexpected) {
        String message = "Lease " + config.lease() + ": " + FailureMessage.of(unexpected);
        return new ElectionEvent.Failed(request, message, unexpected);
    }

    // The thread of the notices

    /** Behind the notice of the loss, which is queued already: the Lease must not be free before that was given. */
    private void release(boolean stop) {
        boolean workEnded = ask("hasEnded", listener::hasEnded, false);
        Map<String, String> notes = workEnded ? ask("handOverNotes", listener::handOverNotes, Map.of()) : Map.of();
        requests.execute(() -> work(new ReleaseTask(stop, workEnded, notes, null)));
    }

    private void consider(ElectionCommand.Consider wish) {
        boolean stands =
                balance.considers(config, wish.asker(), wish.age(), () -> ask("onAsked", listener::onAsked, false));
        take(new ElectionEvent.Considered(wish.asker(), stands));
    }

    private void tell(String what, Runnable notice) {
        notices.execute(() -> ask(what, Executors.callable(notice, true), false));
    }

    /** The listener's answer; another if it fails. */
    private <T> T ask(String what, Callable<T> question, T otherwise) {
        try {
            return question.call();
        } catch (Exception | Error e) {
            log(Level.ERROR, "the listener failed in " + what + ": " + FailureMessage.of(e), e);
            return otherwise;
        }
    }

    /** A timer that follows a time of the state. Used under the loop's monitor. */
    private final class Alarm {

        private @Nullable Long at;
        private Timer.Cancellable task = () -> {};

        void follow(@Nullable Long wanted, Moment now) {
            if (!Objects.equals(wanted, at)) {
                task.cancel();
                at = wanted;
                task = wanted == null ? () -> {} : schedule(Duration.ofNanos(wanted - now.nanos()));
            }
        }

        private Timer.Cancellable schedule(Duration delay) {
            return parts.timer().schedule(delay, () -> take(ElectionEvent.Signal.TIME_PASSED));
        }
    }
}

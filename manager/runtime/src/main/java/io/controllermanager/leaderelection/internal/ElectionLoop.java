package io.controllermanager.leaderelection.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.leaderelection.internal.ElectionState.Moment;
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
    private final Runnable acquired;
    private final Runnable lost;
    private final Executor requests;
    private final Executor notices;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** When the timer brings an event, null if it does not. */
    @GuardedBy("this")
    private @Nullable Long alarmAt;

    @GuardedBy("this")
    private Timer.Cancellable alarm = () -> {};

    /** Written under the monitor, read by any thread. */
    private volatile ElectionState state;

    /** When the request thread last showed a sign of life. */
    private volatile long aliveAt;

    /** Used by {@link #start} and {@link #stop} only, which the elector calls one after the other. */
    private Registration watch = () -> {};

    /** Sends nothing before {@link #start}. An acquisition and a loss are told in the listener's place. */
    ElectionLoop(LeaderElector elector, LeadershipListener listener, Runnable acquired, Runnable lost) {
        this.elector = elector;
        this.config = elector.config();
        this.parts = elector.parts;
        this.balance = elector.balance;
        this.listener = listener;
        this.acquired = acquired;
        this.lost = lost;
        this.requests = parts.threads().executor("controller-manager-leader-election");
        this.notices = parts.threads().executor("controller-manager-leadership");
        this.state = new ElectionState(config);
        this.aliveAt = parts.clock().nanoTime();
    }

    void start() {
        log(Level.INFO, "competing as " + config.identity(), null);
        watch = elector.lock.watch(this::take);
        requests.execute(() -> work(new ElectionTask.Attempt()));
    }

    /** Ceases to lead at once, and waits until the Lease is released, at most for the renew deadline. */
    void stop() {
        take(ElectionStep::stop);
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
        ElectionState seen = state;
        Long renewedAt = seen.term == null ? null : seen.renewedAt;
        return now - aliveAt <= limit && (renewedAt == null || now - renewedAt <= limit);
    }

    /** Brings an event. Returns what has followed. */
    synchronized ElectionStep take(ElectionStep.Event event) {
        Moment now = balance.now(elector);
        ElectionState before = state;
        ElectionStep after = before.next(event, now);
        if (after.commands.contains(ElectionCommand.Simple.TELL_ACQUIRED)) {
            elector.terms.incrementAndGet();
        }
        state = after;
        Long changesAt = after.changesAt();
        if (!Objects.equals(changesAt, alarmAt)) {
            alarm.cancel();
            alarmAt = changesAt;
            alarm = changesAt == null
                    ? () -> {}
                    : parts.timer()
                            .schedule(Duration.ofNanos(changesAt - now.nanos()), () -> take(ElectionStep::timePassed));
        }
        if (after.renewedAt != null && !after.renewedAt.equals(before.renewedAt)) {
            elector.metrics.renewals.record(Duration.ofNanos(now.nanos() - after.renewedAt));
        }
        after.commands.forEach(this::execute);
        if (after.phase != ElectionState.Phase.STOPPING
                && !Objects.equals(before.known.shards(), after.known.shards())) {
            tell("onDivision", () -> elector.divisionListeners.forEach(Runnable::run));
        }
        return after;
    }

    /** This process is about to ask for the Lease. A listener that fails gives up. */
    void beforeAsking(LeadershipListener.Asking asking) {
        notices.execute(() -> {
            if (!said("beforeAsking", () -> listener.beforeAsking(asking))) {
                asking.giveUp();
            }
        });
    }

    private void execute(ElectionCommand command) {
        if (command instanceof ElectionCommand.Simple simple) {
            switch (simple) {
                case TELL_ACQUIRED -> {
                    tell("onAcquired", acquired);
                    balance.acquired(config.leaseName());
                }
                case TELL_LOST -> {
                    tell("onLost", lost);
                    elector.keep();
                }
                case DOUBT_STORAGE -> parts.onOlderLease().run();
                case END -> {
                    ended.countDown();
                    ElectionThreads.end(requests);
                }
            }
        } else if (command instanceof ElectionCommand.Work work) {
            requests.execute(() -> work(work.task()));
        } else if (command instanceof ElectionCommand.Release release) {
            notices.execute(() -> release(release.stop()));
        } else if (command instanceof ElectionCommand.HandOver wish) {
            if (balance.beginHandOver(config.leaseName())) {
                notices.execute(() -> handOver(wish.asker()));
            }
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
        ElectionTask.Request request = requestAfter(task::turn);
        while (request != null) {
            ElectionTask.Request sent = request;
            try {
                request = requestAfter(send(sent));
            } catch (RuntimeException | Error e) {
                // A Lease of a kind that nobody expects. The task has failed, the election goes on.
                request = requestAfter(failed(sent, "Lease " + config.lease() + ": " + FailureMessage.of(e), e));
            }
        }
    }

    /** The request that follows from an event, null if none does. */
    private ElectionTask.@Nullable Request requestAfter(ElectionStep.Event event) {
        aliveAt = parts.clock().nanoTime();
        return take(event).request;
    }

    /** Returns the answer. */
    private ElectionStep.Event send(ElectionTask.Request request) {
        LeaseLock lock = elector.lock;
        V1Lease lease = request.lease();
        boolean renewal = request.task() instanceof ElectionTask.Attempt && state.term != null;
        boolean answered = false;
        try {
            if (lease == null) {
                V1Lease found = lock.get();
                answered = true;
                return step -> step.read(request, found);
            }
            if (renewal && request.number() > 0) {
                elector.metrics.slowPath.increment();
            }
            // Leadership is proven from here on, not from the answer.
            long sentAt = parts.clock().nanoTime();
            V1Lease stored = Leases.isUnstored(lease) ? lock.create(lease) : lock.update(lease);
            answered = true;
            return step -> step.stored(request, stored, sentAt);
        } catch (LeaseException e) {
            answered = e.beaten;
            if (!e.beaten) {
                return failed(request, String.valueOf(e.getMessage()), null);
            }
            log(Level.DEBUG, "another was faster: " + e.getMessage(), null);
            return step -> request.task().refused(step, request);
        } finally {
            elector.metrics.failures.increment(renewal && !answered ? 1 : 0);
        }
    }

    private static ElectionStep.Event failed(
            ElectionTask.Request request, String message, @Nullable Throwable unexpected) {
        return step -> request.task().failed(step, request, message, unexpected);
    }

    // The thread of the notices

    /** Behind the notice of the loss, which is queued already: the Lease must not be free before that was given. */
    private void release(boolean stop) {
        boolean workEnded = ask("hasEnded", listener::hasEnded, false);
        Map<String, String> notes = workEnded ? ask("handOverNotes", listener::handOverNotes, Map.of()) : Map.of();
        requests.execute(() -> work(new ElectionTask.Release(stop, workEnded, notes, null)));
    }

    private void handOver(String asker) {
        if (ask("onAsked", listener::onAsked, false)) {
            log.atLevel(parts.level(Level.INFO))
                    .addKeyValue("lease", config.lease())
                    .addKeyValue("to", asker)
                    .log("Lease {}: is handed over to {}, which has less to do", config.lease(), asker);
        } else {
            // In this order: what is not refused yet would be considered again.
            take(step -> step.refuse(asker));
            elector.keep();
        }
    }

    private void tell(String what, Runnable notice) {
        notices.execute(() -> said(what, notice));
    }

    /** Whether the listener did not fail. */
    private boolean said(String what, Runnable notice) {
        return ask(what, Executors.callable(notice, true), false);
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
}

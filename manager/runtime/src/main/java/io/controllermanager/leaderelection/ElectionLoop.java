package io.controllermanager.leaderelection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.ElectionState.Moment;
import io.controllermanager.leaderelection.LeaseException.Reason;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One start-to-stop run of a {@link LeaderElector}: holds the {@link ElectionState}, executes its commands and tells it
 * what comes of them.
 *
 * <p>Any thread may bring an event. Transitions happen one at a time under this object's monitor, which is held for a pure
 * function and for handing commands to executors and timers, never for a request or a call of the listener. A thread of its
 * own would put a hop into each renewal, and {@link #resign} and {@link #stop} must have taken effect when they return. The
 * state is replaced as a whole, so that the fence, health and status read it without the monitor.
 *
 * <p>The request thread does one task at a time: it sends a request, brings the answer as an event and gets the next request
 * from that transition.
 */
final class ElectionLoop implements LeaseObserver {

    private static final Logger log = LoggerFactory.getLogger(ElectionLoop.class);

    private final Parts parts;
    private final LeaderElectionConfig config;
    private final LeadershipListener listener;
    private final BooleanSupplier aside;
    private final ElectionMetrics metrics;
    private final Executor requests;
    private final Executor notices;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Written under the monitor. */
    private volatile ElectionState state;

    @GuardedBy("this")
    private final Alarm attempt = new Alarm();

    @GuardedBy("this")
    private final Alarm deadline = new Alarm();

    private volatile @Nullable Registration watch;

    /**
     * What a loop works with.
     *
     * @param executors makes the executors for requests and notices by their threads' names
     * @param balance what the elections of several Leases have in common, null for the election of one
     */
    record Parts(
            LeaseLock lock,
            Clock clock,
            Timer timer,
            Function<String, Executor> executors,
            DoubleSupplier random,
            @Nullable Balance balance) {}

    /**
     * Sends nothing before {@link #start}.
     *
     * @param aside whether this process leaves the Lease to others unless it holds it
     */
    ElectionLoop(
            LeaderElectionConfig config,
            Parts parts,
            LeadershipListener listener,
            BooleanSupplier aside,
            ElectionMetrics metrics) {
        this.config = config;
        this.parts = parts;
        this.listener = listener;
        this.aside = aside;
        this.metrics = metrics;
        this.requests = parts.executors().apply("controller-manager-leader-election");
        this.notices = parts.executors().apply("controller-manager-leadership");
        this.state = ElectionState.initial(config, parts.clock().nanoTime());
    }

    void start() {
        log.atInfo()
                .addKeyValue("lease", config.lease())
                .addKeyValue("identity", config.identity())
                .log("Lease {}: competing as {}", config.lease(), config.identity());
        Registration watching = parts.lock().watch(this);
        watch = watching;
        if (state.phase() == ElectionState.Phase.STOPPING) {
            watching.close();
        }
        requests.execute(() -> work(new AttemptTask()));
    }

    /** Ceases to lead at once, and waits until the Lease is released, at most for the renew deadline. */
    void stop() {
        take(ElectionEvent.Signal.STOP);
        Registration watching = watch;
        if (watching != null) {
            watching.close();
        }
        try {
            if (!ended.await(config.renewDeadline().toNanos(), TimeUnit.NANOSECONDS)) {
                log.atWarn()
                        .addKeyValue("lease", config.lease())
                        .log(
                                "Lease {}: could not be released in time; others take it once it has expired",
                                config.lease());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LeaderElector.end(notices);
    }

    /** Gives the Lease to another and goes on competing. Whether this process led. */
    boolean resign() {
        return transition(ElectionEvent.Signal.RESIGN).commands().contains(new ElectionCommand.Release(false));
    }

    /** Brings an event that is not an answer. */
    void take(ElectionEvent event) {
        transition(event);
    }

    @Override
    public void seen(V1Lease lease) {
        take(new ElectionEvent.Seen(lease));
    }

    @Override
    public void deleted(V1Lease lease) {
        take(new ElectionEvent.Deleted(lease));
    }

    @Override
    public void interrupted(@Nullable String why) {
        take(new ElectionEvent.WatchInterrupted(why));
    }

    ElectionState state() {
        return state;
    }

    boolean isLeading() {
        return state.isLeading(parts.clock().nanoTime());
    }

    private synchronized ElectionState.Next transition(ElectionEvent event) {
        Moment now = moment();
        ElectionState before = state;
        ElectionState.Next next = before.next(event, now);
        ElectionState after = next.state();
        state = after;
        attempt.follow(after.attemptAt(), now);
        deadline.follow(after.deadline(), now);
        Long renewedAt = after.renewedAt();
        if (renewedAt != null && !renewedAt.equals(before.renewedAt())) {
            metrics.renewed(Duration.ofNanos(now.nanos() - renewedAt));
        }
        next.commands().forEach(this::execute);
        return next;
    }

    private Moment moment() {
        Balance balance = parts.balance();
        boolean standsAside = aside.getAsBoolean();
        return new Moment(
                parts.clock().nanoTime(),
                parts.clock().now(),
                parts.random().getAsDouble(),
                balance == null ? new BalanceStanding(false, standsAside, 0) : balance.standing(standsAside));
    }

    private void execute(ElectionCommand command) {
        if (command instanceof ElectionCommand.Simple simple) {
            switch (simple) {
                case TELL_ACQUIRED -> tell("onAcquired", listener::onAcquired);
                case TELL_LOST -> {
                    tell("onLost", listener::onLost);
                    endHandOver();
                }
                case END_HAND_OVER -> endHandOver();
                case END -> {
                    ended.countDown();
                    LeaderElector.end(requests);
                }
            }
        } else if (command instanceof ElectionCommand.Work work) {
            requests.execute(() -> work(work.task()));
        } else if (command instanceof ElectionCommand.Release release) {
            notices.execute(() -> release(release.stop()));
        } else if (command instanceof ElectionCommand.Consider consider) {
            notices.execute(() -> consider(consider));
        } else if (command instanceof ElectionCommand.Log entry) {
            log.atLevel(entry.level())
                    .addKeyValue("lease", config.lease())
                    .addKeyValue("identity", config.identity())
                    .setCause(entry.cause())
                    .log(entry.message());
        }
    }

    // The request thread

    private void work(ElectionTask task) {
        ElectionRequest request = request(new ElectionEvent.Turn(task));
        while (request != null) {
            ElectionEvent answer = send(request);
            try {
                request = request(answer);
            } catch (RuntimeException | Error e) {
                // A Lease of a kind that nobody expects. The task has failed, the election goes on.
                request = request(failed(request, e));
            }
        }
    }

    /** The request that follows from an event, null if none does. */
    private @Nullable ElectionRequest request(ElectionEvent event) {
        for (ElectionCommand command : transition(event).commands()) {
            if (command instanceof ElectionCommand.Send send) {
                return send.request();
            }
        }
        return null;
    }

    private ElectionEvent send(ElectionRequest request) {
        boolean renewal = request.task() instanceof AttemptTask && state.term() != null;
        V1Lease lease = request.lease();
        if (renewal && lease != null && request.number() > 0) {
            metrics.slowPath();
        }
        ElectionEvent failure;
        try {
            if (lease == null) {
                return new ElectionEvent.Read(request, parts.lock().get());
            }
            // Leadership is proven from here on, not from the answer.
            long sentAt = parts.clock().nanoTime();
            boolean isNew = Leases.isUnstored(lease);
            V1Lease stored = isNew ? parts.lock().create(lease) : parts.lock().update(lease);
            return new ElectionEvent.Stored(request, stored, sentAt);
        } catch (LeaseException e) {
            if (e.reason() != Reason.FAILED && lease != null) {
                log.atDebug().addKeyValue("lease", config.lease()).log("Another was faster: {}", e.getMessage());
                return new ElectionEvent.Refused(request);
            }
            failure = new ElectionEvent.Failed(request, String.valueOf(e.getMessage()), null);
        } catch (RuntimeException | Error e) {
            failure = failed(request, e);
        }
        if (renewal) {
            metrics.failedToRenew();
        }
        return failure;
    }

    private ElectionEvent failed(ElectionRequest request, Throwable unexpected) {
        return new ElectionEvent.Failed(
                request, "Lease " + config.lease() + ": " + FailureMessage.of(unexpected), unexpected);
    }

    // The thread of the notices

    /** Behind the notice of the loss, which is queued already: the Lease must not be free before that was given. */
    private void release(boolean stop) {
        boolean workEnded = ask("hasEnded", listener::hasEnded, false);
        Map<String, String> notes = workEnded ? ask("handOverNotes", listener::handOverNotes, Map.of()) : Map.of();
        requests.execute(() -> work(new ReleaseTask(stop, workEnded, notes, null)));
    }

    private void consider(ElectionCommand.Consider wish) {
        boolean stands = Objects.requireNonNull(parts.balance())
                .considers(config, wish.asker(), wish.age(), () -> ask("onAsked", listener::onAsked, false));
        take(new ElectionEvent.Considered(wish.asker(), stands));
    }

    private void tell(String what, Runnable notice) {
        notices.execute(() -> ask(
                what,
                () -> {
                    notice.run();
                    return true;
                },
                false));
    }

    /** The listener's answer; another if it fails. */
    private <T> T ask(String what, Supplier<T> question, T otherwise) {
        try {
            return question.get();
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("lease", config.lease())
                    .setCause(e)
                    .log("Lease {}: the listener failed in {}: {}", config.lease(), what, FailureMessage.of(e));
            return otherwise;
        }
    }

    private void endHandOver() {
        Balance balance = parts.balance();
        if (balance != null) {
            balance.ended(config.leaseName());
        }
    }

    /** A timer that follows a time of the state. */
    private final class Alarm {

        private @Nullable Long at;
        private Timer.@Nullable Cancellable task;

        /** Called under the monitor. */
        void follow(@Nullable Long wanted, Moment now) {
            if (Objects.equals(wanted, at)) {
                return;
            }
            if (task != null) {
                task.cancel();
            }
            at = wanted;
            task = wanted == null
                    ? null
                    : parts.timer()
                            .schedule(
                                    Duration.ofNanos(wanted - now.nanos()),
                                    () -> take(ElectionEvent.Signal.TIME_PASSED));
        }
    }
}

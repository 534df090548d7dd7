package io.controllermanager.controller.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.controller.internal.ControllerSnapshot.StuckReconcile;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.Backoff;
import io.controllermanager.workqueue.internal.FailureTracker;
import io.controllermanager.workqueue.internal.PriorityWorkQueue;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.controllermanager.workqueue.internal.WorkQueueBuilder;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The machine behind a {@link ControllerDescriptor}: events of its sources bring keys into a queue, workers take them
 * and call the reconciler. Made without workers; they are started when this process may work and stopped when it may not
 * any more, as often as leadership changes, while events keep filling the queue. Safe for use by several threads.
 *
 * <p>What becomes of a key after a reconcile is as in controller-runtime's {@code pkg/internal/controller}:
 *
 * <ul>
 *   <li>it returned: the key's failures are forgotten
 *   <li>it returned {@code requeue} with {@code requeueAfter}: as above, and the key comes again after that time (without
 *       {@code requeue} a time means nothing, as in client-java)
 *   <li>it returned {@code requeue} alone: the key comes again after the rate limiter's delay
 *   <li>it threw {@link TerminalException}, or something caused by one: the key comes again with the object's next change
 *   <li>it threw anything else, an {@link Error} included: the key comes again after the rate limiter's delay; the worker
 *       lives on
 * </ul>
 *
 * <p>A reconcile that exceeds its time limit is interrupted; what it returns or throws counts as at any other time. One
 * that does not end within a grace period after that is reported (log line with its stack, gauge {@code
 * controller_manager_stuck_workers}, {@link ControllerSnapshot#stuck}), and another worker takes its worker's place, so
 * that other keys do not wait; its own key is not reconciled again before it really ends.
 *
 * <p>While a reconciler runs, the MDC holds {@code controller}, {@code namespace}, {@code name} and {@code reconcileID}.
 * What is logged about failures is said at {@link FailureLog}.
 */
public final class Controller implements AutoCloseable {

    /** For how long a reconcile that has no time limit is counted on, where failures are remembered. */
    private static final Duration UNLIMITED_RECONCILE = Duration.ofMinutes(10);

    private final String name;
    private final ControllerOptions options;
    private final WorkQueue<Request> queue;
    private final Clock clock;
    private final FailureLog failureLog;
    private final KeyShards keyShards;
    private final ShardGates gates;
    private final RequestHandler handler;
    private final WorkerPool pool;
    private final @Nullable ReconcileMetrics metrics;

    Controller(ControllerBuilder builder, Timer timer) {
        this.name = builder.descriptor.name();
        this.options = builder.options;
        this.clock = builder.clock;
        WorkQueue<Request> given = builder.queue;
        this.queue = given != null ? given : newQueue(builder, timer);
        this.metrics = builder.meterRegistry == null ? null : new ReconcileMetrics(builder.meterRegistry, name);
        this.failureLog = new FailureLog(name, clock);
        this.keyShards = builder.shards;
        this.gates = new ShardGates(keyShards, queue, clock);
        Watchdog watchdog = new Watchdog(
                name,
                options.reconcileTimeout(),
                builder.interruptGrace,
                clock,
                timer,
                () -> {
                    if (metrics != null) {
                        metrics.timeouts.increment();
                    }
                },
                this::replace);
        this.handler = new RequestHandler(
                name,
                builder.reconciler,
                builder.scope,
                queue,
                clock,
                builder.observationRegistry,
                watchdog,
                failureLog,
                new ReconcileInterval(options.minInterval(), clock),
                builder.undoneWrites,
                metrics);
        ThreadFactory threads = builder.threadFactory;
        if (threads == null) {
            threads = builder.virtualThreads ? WorkerThreads.virtual(name) : WorkerThreads.platform(name);
        }
        this.pool = new WorkerPool(
                name,
                options.workers(),
                owner -> new Worker(queue, builder.gate, gates, clock, timer, handler, owner),
                threads,
                timer,
                watchdog::interrupted);
        if (metrics != null) {
            metrics.bind(pool::size, this::activeWorkers, this::stuckWorkers);
        }
    }

    private static WorkQueue<Request> newQueue(ControllerBuilder builder, Timer timer) {
        QueueOptions options = builder.options.queue();
        Duration timeout = builder.options.reconcileTimeout();
        // One without a time limit may take for ever, but what fails does so in some time as a rule.
        Duration longestReconcile = timeout == null ? UNLIMITED_RECONCILE : timeout;
        WorkQueueBuilder<Request> queue = PriorityWorkQueue.<Request>named(builder.descriptor.name())
                .clock(builder.clock)
                .timer(timer)
                .failures(new FailureTracker<>(
                        builder.clock, backoff(options.rateLimiter(), builder.clock), longestReconcile))
                .priorities(options.priorities())
                .meterRegistry(builder.meterRegistry);
        return (options.fairness() ? queue.fairness(Request::getNamespace) : queue).build();
    }

    /** The delays that the options ask for, with a bucket of their own. */
    static Backoff backoff(RateLimiterOptions options, Clock clock) {
        Backoff backoff = switch (options.type()) {
            case EXPONENTIAL -> Backoff.exponential(options.minBackoff(), options.maxBackoff());
            case BUCKET ->
                Backoff.exponential(options.minBackoff(), options.maxBackoff())
                        .orLonger(Backoff.tokenBucket(clock, options.qps(), options.burst()));
            case FAST_SLOW -> Backoff.fastSlow(options.minBackoff(), options.maxBackoff(), options.fastAttempts());
        };
        return backoff.jittered(options.jitter());
    }

    /**
     * Begins a controller.
     *
     * @param descriptor what the controller is
     * @param reconciler made by the descriptor's factory
     */
    public static ControllerBuilder of(ControllerDescriptor descriptor, Reconciler reconciler) {
        return new ControllerBuilder(descriptor, reconciler);
    }

    /** Whether workers can be virtual threads on this JVM: from Java 21 on. */
    public static boolean virtualThreadsAvailable() {
        return WorkerThreads.virtualAvailable();
    }

    /** The descriptor's name. */
    public String name() {
        return name;
    }

    /** How it runs. */
    public ControllerOptions options() {
        return options;
    }

    /**
     * What is to receive the events of one of the descriptor's sources: asks the predicate, maps the object (an update's
     * old state as well, so that an object that changes hands concerns both) and queues the keys. Objects that were there
     * already and resyncs come at {@link WorkQueue#LOW_PRIORITY}. It never throws: a predicate that throws lets the event
     * through, a mapper that throws yields no key; both are logged and counted.
     *
     * <p>An object of the type that the controller is for which is created anew under a name starts anew: failures, a
     * retry's delay and priority, and the interval between reconciles of the one that bore the name before do not count
     * for it, nor does the failure of a reconcile that had begun before; a delay that such a reconcile asked for by its
     * result does.
     */
    public <T extends KubernetesObject> EventSubscriber<T> subscriberFor(EventSource<T> source) {
        return new EventFeed<>(
                name,
                source,
                this::enqueue,
                this::renew,
                keyShards::deleted,
                metrics == null ? null : metrics.mappingErrors);
    }

    /** As the other one, but queues keys of some shards only: for objects that are looked at again because those were opened. */
    public <T extends KubernetesObject> EventSubscriber<T> subscriberFor(EventSource<T> source, IntPredicate shards) {
        return new EventFeed<>(
                name,
                source,
                (key, priority) -> enqueue(key, priority, shards),
                key -> {},
                object -> {},
                metrics == null ? null : metrics.mappingErrors);
    }

    /**
     * Has a channel's events bring keys into the queue, until closed.
     *
     * @throws IllegalStateException if the channel feeds another controller
     */
    public Registration subscribe(ChannelSource<?> source) {
        return ChannelFeed.open(source, name, request -> enqueue(request, WorkQueue.NORMAL_PRIORITY), () -> {
            if (metrics != null) {
                metrics.mappingErrors.increment();
            }
        });
    }

    /** Reconciles a key as soon as a worker is free, whatever delay it may be waiting for. */
    public void reconcileNow(Request request) {
        Request key = new Request(request.getNamespace(), request.getName());
        handler.waive(key);
        queue.add(key, WorkQueue.HIGH_PRIORITY);
    }

    /**
     * Queues a key that comes from elsewhere than a source's events, at a priority of {@link WorkQueue}. One whose shard is
     * closed is remembered instead, as by {@link #standBy}; one of which no shard is known is dropped.
     */
    public void enqueue(Request request, int priority) {
        gates.enqueue(new Request(request.getNamespace(), request.getName()), priority);
    }

    /** The same, if the key is of one of those shards. */
    public void enqueue(Request request, int priority, IntPredicate shards) {
        if (shards.test(gates.of(request))) {
            enqueue(request, priority);
        }
    }

    /**
     * Queues nothing more, so that a long standby costs no memory: of what events bring, only the keys of the latest live
     * changes are remembered, up to 10,000. What is queued stays queued. Not for one that is divided, whose {@link #shards} do
     * this one by one.
     */
    public void standBy() {
        gates.standBy(0);
    }

    private void renew(Request key) {
        for (Worker worker : pool.all()) {
            worker.outdate(key);
        }
        handler.renew(key);
    }

    /**
     * Ends the standby: remembered keys are queued, those of the last minute before what the caches hold. Whoever calls
     * this has every cached object looked at afterwards.
     */
    public void takeOver() {
        gates.takeOver(0);
    }

    /** Its shards, each of which is opened and closed by itself; one that is not divided has one, which is always open. */
    public ControllerShards shards() {
        return new ControllerShards(gates, pool);
    }

    /** Retries at once what waits after a failure; see {@link WorkQueue#retryNow()}. */
    public void retryNow() {
        queue.retryNow();
    }

    /**
     * Lets workers take keys; does nothing if they do already.
     *
     * @throws IllegalStateException once closed
     */
    public void startWorkers() {
        pool.start();
    }

    /**
     * Takes no more keys. When this returns, no reconcile begins any more; what is queued stays queued, and so does, at
     * its own priority, what was interrupted. A key that a worker had just taken is put back a moment later, and threads of
     * workers that had nothing to do end a moment later. Workers can be started again afterwards, at once even if some have
     * not ended.
     *
     * @param drain how long running reconciles may go on before they are interrupted; zero interrupts them at once and
     *     returns without waiting for them
     * @return whether every reconcile has ended
     */
    public boolean stopWorkers(Duration drain) throws InterruptedException {
        return pool.stop(drain);
    }

    /**
     * Takes no more keys and leaves running reconciles alone; returns at once. What is queued stays queued, and more may
     * come. {@link #startWorkers} goes on.
     */
    public void retireWorkers() {
        pool.retire();
    }

    /** Whether a reconcile runs, one that was interrupted and does not end included. */
    public boolean isReconciling() {
        return pool.all().stream().anyMatch(Worker::isReconciling);
    }

    /** Whether a reconcile runs on though it was told to end. */
    public boolean hasGivenUp() {
        return pool.all().stream().anyMatch(Worker::isGivenUp);
    }

    /** What is in the queue, for operators; see {@link WorkQueue#snapshot()}. */
    public QueueSnapshot<Request> queueSnapshot() {
        return queue.snapshot();
    }

    /** The newest failure of each of the ten keys that failed last, the newest first. */
    public List<ControllerSnapshot.Failure> recentFailures() {
        return failureLog.recent().all();
    }

    /**
     * Changes how many keys are reconciled at once. Of surplus workers idle ones go first; running reconciles end
     * undisturbed.
     *
     * @throws IllegalArgumentException if less than 1
     */
    public void resize(int workers) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers must be at least 1, but is " + workers);
        }
        pool.resize(workers);
    }

    /** How the work stands at this moment. */
    public ControllerSnapshot snapshot() {
        long now = clock.nanoTime();
        List<StuckReconcile> stuck = new ArrayList<>();
        int active = 0;
        int reconciling = 0;
        long sinceTake = Long.MAX_VALUE;
        for (Worker worker : pool.all()) {
            active += worker.holdsKey() ? 1 : 0;
            reconciling += worker.holdsPlace() ? 1 : 0;
            sinceTake = Math.min(sinceTake, now - worker.tookAt());
            ReconcileRun run = worker.stuck();
            if (run != null) {
                Instant since = clock.now().minusNanos(now - run.startedAt);
                stuck.add(new StuckReconcile(run.key(), worker.threadName(), since));
            }
        }
        stuck.sort(Comparator.comparing(StuckReconcile::since));
        Duration longestWait = queue.longestWait();
        return new ControllerSnapshot(
                pool.isRunning(),
                pool.size(),
                pool.live(),
                active,
                reconciling,
                stuck,
                queue.size(),
                queue.delayed(),
                failureLog.failing(),
                handler.reconciles(),
                handler.errors(),
                failureLog.recent().last(),
                queue.depthByPriority(),
                longestWait,
                longestWait == null ? null : Duration.ofNanos(Math.min(longestWait.toNanos(), sinceTake)),
                handler.times());
    }

    /**
     * Ends everything for good: running reconciles are interrupted, the queue is shut down, the meters are removed.
     * Returns without waiting for the reconciles; for a clean end call {@link #stopWorkers} before.
     */
    @Override
    public void close() {
        pool.close();
        queue.close();
        if (metrics != null) {
            metrics.close();
        }
    }

    private void replace(Worker stuck) {
        pool.replace(stuck);
    }

    private int activeWorkers() {
        return (int) pool.all().stream().filter(Worker::holdsKey).count();
    }

    private int stuckWorkers() {
        return (int)
                pool.all().stream().filter(worker -> worker.stuck() != null).count();
    }
}

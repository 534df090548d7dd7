package io.controllermanager.controller.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.controller.internal.ControllerSnapshot.StuckReconcile;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.Backoff;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.FailureTracker;
import io.controllermanager.workqueue.internal.Place;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.controllermanager.workqueue.internal.WorkQueueBuilder;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
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

    private final ControllerParts parts;
    private final WorkQueue<Request> queue;
    private final FailureLog failureLog;
    final ControllerShards shards;
    private final RequestHandler handler;
    final WorkerPool pool;
    final ReconcileMetrics metrics;

    /** Without workers. */
    public Controller(ControllerParts parts) {
        this(parts, newQueue(parts));
    }

    /** Closes the queue with it. */
    Controller(ControllerParts parts, WorkQueue<Request> queue) {
        this.parts = parts;
        this.queue = queue;
        this.metrics = new ReconcileMetrics(parts.meterRegistry(), name());
        this.failureLog = new FailureLog(name(), parts.clock(), parts.memories());
        this.shards = new ControllerShards(parts, queue, this::startWorkers);
        this.handler = new RequestHandler(parts, queue, failureLog, metrics);
        this.pool = new WorkerPool(parts, shards, handler);
        metrics.bind(this);
    }

    private static WorkQueue<Request> newQueue(ControllerParts parts) {
        QueueOptions options = parts.options().queue();
        Duration timeout = parts.options().reconcileTimeout();
        // One without a time limit may take for ever, but what fails does so in some time as a rule.
        Duration longestReconcile = timeout == null ? UNLIMITED_RECONCILE : timeout;
        WorkQueueBuilder<Request> queue = WorkQueue.<Request>named(
                        parts.descriptor().name())
                .clock(parts.clock())
                .timer(parts.timer())
                .failures(new FailureTracker<>(
                        parts.clock(), backoff(options.rateLimiter(), parts.clock()), longestReconcile))
                .priorities(options.priorities())
                .meterRegistry(parts.meterRegistry());
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

    /** The descriptor's name. */
    public String name() {
        return parts.descriptor().name();
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
        return subscriberFor(source, any -> true);
    }

    /** As the other one, but queues keys of some shards only: for objects that are looked at again because those were opened. */
    public <T extends KubernetesObject> EventSubscriber<T> subscriberFor(EventSource<T> source, IntPredicate those) {
        return new EventFeed<>(this, source, those, Cause.Kind.START);
    }

    /** For objects of a source that are looked at again since nobody may have told of a change. */
    public <T extends KubernetesObject> EventSubscriber<T> walkerFor(EventSource<T> source) {
        return new EventFeed<>(this, source, any -> true, Cause.Kind.INTERVAL);
    }

    /**
     * Has a channel's events bring keys into the queue, until closed.
     *
     * @throws IllegalStateException if the channel feeds another controller
     */
    public Registration subscribe(ChannelSource<?> source) {
        return EventFeed.open(this, source);
    }

    /** Reconciles a key as soon as a worker is free, whatever delay it may be waiting for. */
    public void reconcileNow(Request request) {
        Request key = new Request(request.getNamespace(), request.getName());
        handler.waive(key);
        queue.add(key, WorkQueue.HIGH_PRIORITY, Causes.of(Cause.Kind.OPERATOR));
    }

    /**
     * Queues a key that comes from elsewhere than a source's events, at a priority of {@link WorkQueue}. One whose shard is
     * closed is remembered there instead; one of which no shard is known is dropped. At {@link WorkQueue#HIGH_PRIORITY} it is
     * an operator's wish, and waits for nothing.
     */
    public void enqueue(Request request, int priority, Causes causes) {
        enqueue(request, priority, causes, any -> true);
    }

    /** The same, if the key is of one of those shards. */
    public void enqueue(Request request, int priority, Causes causes, IntPredicate those) {
        Request key = new Request(request.getNamespace(), request.getName());
        Shard shard = shards.of(key);
        if (shard != null && those.test(shard.number()) && !shard.remembers(key, priority)) {
            if (priority == WorkQueue.HIGH_PRIORITY) {
                handler.waive(key);
            }
            queue.add(key, priority, causes);
        }
    }

    /** Whether values of fields may be shown of a type. */
    boolean showsValues(ResourceType<?> type) {
        return parts.journal().showsValues(type.qualifiedName());
    }

    /** How many keys are queued or wait for their time. */
    int queued() {
        return queue.waiting();
    }

    /** Sees an event of an object that this is for; returns whether it matters whatever the predicate says. */
    boolean see(ResourceEvent<? extends KubernetesObject> event) {
        Shard shard = shards.of(Keys.of(event.object()));
        return handler.paused.see(event, shard != null && shard.queues());
    }

    /** The annotation that pauses a key, as {@code name=value}; null if it is not paused, or this process has no object of it. */
    public @Nullable String pausedBy(Request key) {
        return handler.paused.pausedBy(key);
    }

    /** How many keys are paused by an annotation, of those that are worked on here. */
    int pausedKeys() {
        return shards.all.stream().anyMatch(Shard::queues) ? handler.paused.count() : 0;
    }

    /** The key names a new object. */
    void renew(Request key) {
        shards.all.forEach(shard -> shard.outdate(key));
        handler.renew(key);
    }

    /** Its shards by their numbers, each of which is opened and closed by itself; one that is not divided has one. */
    public List<Shard> shards() {
        return shards.all;
    }

    /** The shard of a key; null if none is known, which can be where keys are divided by uid, or it cannot be worked on. */
    public @Nullable Shard shardOf(Request key) {
        return shards.of(key);
    }

    /**
     * Forgets what is known of the keys of closed shards: by the time that they are opened again it is outdated. Goes through
     * all that is remembered, which takes some time.
     */
    public void forgetClosed() {
        parts.memories().forget(key -> {
            Shard shard = shards.of(key);
            return shard == null || !shard.isOpen();
        });
    }

    /** Retries at once what waits after a failure; see {@link WorkQueue#retryNow()}. */
    public void retryNow() {
        queue.retryNow();
    }

    /**
     * Lets no reconcile begin until it is paused no more; those that run go on, keys go on queueing, and shards may be opened
     * and closed.
     */
    public void pause(boolean paused) {
        shards.pause(paused);
    }

    /** What is in the queue, for operators; see {@link WorkQueue#snapshot()}. */
    public QueueSnapshot<Request> queueSnapshot() {
        return queue.snapshot();
    }

    /** Where a key is in the queue. */
    public Place place(Request key) {
        return queue.place(key);
    }

    /** The newest failure of each of the ten keys that failed last, the newest first. */
    public List<ControllerSnapshot.Failure> recentFailures() {
        return failureLog.recent();
    }

    /**
     * Changes how many keys are reconciled at once. Of surplus workers idle ones go first; running reconciles end
     * undisturbed.
     *
     * @throws IllegalArgumentException as {@link ControllerOptions#checkWorkers}
     */
    public void resize(int workers) {
        ControllerOptions.checkWorkers(workers);
        pool.resize(workers);
    }

    /** How the work stands at this moment. */
    public ControllerSnapshot snapshot() {
        Clock clock = parts.clock();
        long now = clock.nanoTime();
        List<ControllerSnapshot.Failure> failures = recentFailures();
        List<ReconcileRun> runs = runs().toList();
        List<StuckReconcile> stuck = runs.stream()
                .filter(run -> run.stuck)
                .map(run -> new StuckReconcile(
                        run.key(), run.thread.getName(), clock.now().minusNanos(now - run.startedAt)))
                .sorted(Comparator.comparing(StuckReconcile::since))
                .toList();
        long sinceTake = pool.all().stream()
                .mapToLong(worker -> now - worker.tookAt)
                .min()
                .orElse(Long.MAX_VALUE);
        sinceTake = Math.min(sinceTake, now - shards.givingOutSince);
        Duration longestWait = queue.longestWait();
        return new ControllerSnapshot(
                shards.givingOut,
                pool.size,
                pool.live(),
                activeWorkers(),
                (int) runs.stream().filter(ReconcileRun::isUndisturbed).count(),
                stuck,
                queue.size(),
                queue.delayed(),
                pausedKeys(),
                failureLog.failing(),
                handler.reconciles.sum(),
                handler.errors.sum(),
                failures.isEmpty() ? null : failures.get(0),
                queue.depthByPriority(),
                longestWait,
                longestWait == null ? null : Duration.ofNanos(Math.min(longestWait.toNanos(), sinceTake)),
                handler.times.summary(now));
    }

    /**
     * Ends everything for good: running reconciles are interrupted, the queue is shut down, the meters are removed.
     * Returns without waiting for the reconciles; for a clean end call {@link Shard#drain} before.
     */
    @Override
    public void close() {
        shards.all.forEach(Shard::close);
        shards.all.forEach(Shard::interrupt);
        pool.close();
        queue.close();
        parts.memories().forget(key -> true);
        metrics.close();
    }

    private void startWorkers() {
        pool.start();
    }

    int workers() {
        return pool.size;
    }

    int activeWorkers() {
        return (int) pool.all().stream().filter(worker -> worker.holdsKey).count();
    }

    int stuckWorkers() {
        return (int) runs().filter(run -> run.stuck).count();
    }

    private Stream<ReconcileRun> runs() {
        return shards.all.stream().flatMap(shard -> shard.runs().stream());
    }
}

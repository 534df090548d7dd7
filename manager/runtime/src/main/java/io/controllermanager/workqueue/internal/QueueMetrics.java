package io.controllermanager.workqueue.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue's meters, which have in Prometheus the names, labels and buckets of controller-runtime's
 * {@code pkg/internal/metrics/workqueue.go}. Counts and gauges are read from the queue when they are scraped; only the
 * two durations cost something with each key. A meter that throws costs no key: what it was to record is lost.
 */
final class QueueMetrics implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkQueue.class);

    /** As many priorities have a depth of their own; upstream draws the line here, too. */
    private static final int MOST_PRIORITIES = 25;

    /** From 10 ns to 1,000 s, each ten times the one before. */
    private static final Duration[] BUCKETS = LongStream.iterate(10, bound -> bound * 10)
            .limit(12)
            .mapToObj(Duration::ofNanos)
            .toArray(Duration[]::new);

    private final WorkQueue<?> queue;

    @GuardedBy("this")
    private final Meters meters;

    private final Set<Integer> prioritiesSeen = ConcurrentHashMap.newKeySet();
    private final Timer queueDuration;
    private final Timer workDuration;

    @GuardedBy("this")
    private boolean closed;

    private volatile boolean failureLogged;

    QueueMetrics(WorkQueue<?> queue, MeterRegistry registry) {
        this.queue = queue;
        this.meters = new Meters(registry, Tags.of("name", queue.name(), "controller", queue.name()));
        this.queueDuration = meters.timer(
                timer("workqueue.queue.duration", "How long keys stay in the queue before a worker takes them."));
        this.workDuration =
                meters.timer(timer("workqueue.work.duration", "How long workers work on keys from the queue."));
        meters.counter("workqueue.adds", "Keys added to the queue.", queue, q -> q.of(keys -> (double) keys.adds));
        meters.counter(
                "workqueue.retries",
                "Keys added to the queue with a delay, after a failure or because a reconciler asked for it.",
                queue,
                q -> q.of(keys -> (double) keys.retries));
        meters.timeGauge(
                "workqueue.unfinished.work",
                "Time spent so far on the keys that are being worked on, all added up."
                        + " A steady rise tells of workers that are stuck.",
                queue,
                q -> q.of(KeyStates::unfinishedNanos));
        meters.timeGauge(
                "workqueue.longest.running.processor",
                "Time spent so far on the key that is being worked on longest.",
                queue,
                q -> q.of(KeyStates::longestRunningNanos));
        priorityUsed(WorkQueue.NORMAL_PRIORITY);
        priorityUsed(WorkQueue.LOW_PRIORITY);
    }

    private static Timer.Builder timer(String name, String description) {
        return Timer.builder(name).description(description).serviceLevelObjectives(BUCKETS);
    }

    /** Called for every add, without the queue's lock, which the new meter would need when it is read. */
    void priorityUsed(int priority) {
        if (!prioritiesSeen.contains(priority) && prioritiesSeen.size() < MOST_PRIORITIES) {
            try {
                registerDepth(priority);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private synchronized void registerDepth(int priority) {
        if (!closed && prioritiesSeen.add(priority)) {
            meters.gauge(
                    "workqueue.depth",
                    "Keys ready to be taken, by priority.",
                    queue,
                    q -> q.of(keys -> (double) keys.ready.depth(priority)),
                    "priority",
                    Integer.toString(priority));
        }
    }

    void taken(long queuedNanos) {
        record(queueDuration, queuedNanos);
    }

    void done(long workNanos) {
        record(workDuration, workNanos);
    }

    private void record(Timer timer, long nanos) {
        try {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Logged once: with a key a millisecond it would bury everything else. */
    private void failed(Throwable failure) {
        if (!failureLogged) {
            failureLogged = true;
            log.atError()
                    .addKeyValue("name", queue.name())
                    .setCause(failure)
                    .log("A meter of the queue {} failed: {}", queue.name(), FailureMessage.of(failure));
        }
    }

    /** Takes the meters out of the registry. */
    @Override
    public synchronized void close() {
        closed = true;
        meters.close();
    }
}

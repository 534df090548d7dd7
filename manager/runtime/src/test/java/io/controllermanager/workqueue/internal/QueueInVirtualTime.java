package io.controllermanager.workqueue.internal;

import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/**
 * A queue in virtual time, and threads beside the test's own: what {@link WorkQueueTest} and the tests of delays,
 * priorities, fairness, shut-down and snapshots share.
 */
abstract class QueueInVirtualTime {

    final VirtualTime time = new VirtualTime();
    final WorkQueue<String> queue = WorkQueue.<String>named("test")
            .clock(time)
            .timer(time)
            .meterRegistry(new SimpleMeterRegistry())
            .agingInterval(4)
            .failures(new FailureTracker<>(time, Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1))))
            .build();
    final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        queue.close();
        others.shutdownNow();
    }

    String takeOne() throws InterruptedException {
        String key = Objects.requireNonNull(queue.take());
        queue.done(key);
        return key;
    }

    List<String> takeAll() throws InterruptedException {
        List<String> keys = new ArrayList<>();
        while (queue.size() > 0) {
            keys.add(takeOne());
        }
        return keys;
    }
}

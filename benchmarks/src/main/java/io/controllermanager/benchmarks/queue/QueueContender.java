package io.controllermanager.benchmarks.queue;

import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.controllermanager.workqueue.internal.WorkQueueBuilder;
import io.kubernetes.client.extended.workqueue.DefaultWorkQueue;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Objects;

/** A queue that is measured, whosever it is. */
interface QueueContender extends AutoCloseable {

    void add(String key);

    String take() throws InterruptedException;

    void done(String key);

    @Override
    void close();

    /** By the name that it has in the results. */
    static QueueContender named(String name) {
        SystemTimer timer = new SystemTimer("queue-timer");
        WorkQueueBuilder<String> builder = WorkQueue.<String>named("measured").timer(timer);
        return switch (name) {
            case "ours" -> new Ours(builder.build(), timer);
            case "ours+metrics" ->
                new Ours(
                        builder.meterRegistry(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                                .build(),
                        timer);
            // The namespace's number, which costs as little to tell as a getter.
            case "ours+fairness" ->
                new Ours(
                        builder.fairness(key -> key.charAt("namespace-".length()))
                                .build(),
                        timer);
            case "client-java" -> new ClientJava(new DefaultWorkQueue<>());
            default -> throw new IllegalArgumentException("no queue is named \"" + name + "\"");
        };
    }

    /** Ours. */
    record Ours(WorkQueue<String> queue, SystemTimer timer) implements QueueContender {
        @Override
        public void add(String key) {
            queue.add(key);
        }

        @Override
        public String take() throws InterruptedException {
            return Objects.requireNonNull(queue.take());
        }

        @Override
        public void done(String key) {
            queue.done(key);
        }

        @Override
        public void close() {
            queue.close();
            timer.close();
        }
    }

    /** client-java's. */
    record ClientJava(DefaultWorkQueue<String> queue) implements QueueContender {
        @Override
        public void add(String key) {
            queue.add(key);
        }

        @Override
        public String take() throws InterruptedException {
            return Objects.requireNonNull(queue.get());
        }

        @Override
        public void done(String key) {
            queue.done(key);
        }

        @Override
        public void close() {
            queue.shutDown();
        }
    }
}

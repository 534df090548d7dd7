package io.controllermanager.benchmarks.throughput;

import io.controllermanager.benchmarks.plane.LineWatch;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Watches objects from outside and notes when each arrived. It looks for no more than the name, the version and one sign
 * in what it is sent, so as to take little processor time from what is measured.
 */
public final class ArrivalWatch implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration POLL = Duration.ofMillis(500);

    private final LineWatch watch;
    private final String url;
    private final Sign sign;
    private final Map<String, Long> arrivals = new ConcurrentHashMap<>();
    private final Object lock = new Object();

    /** What arrived of one wave, in nanoseconds of {@link System#nanoTime()}. */
    public record Span(int count, long first, long last) {}

    /** What tells that an object has arrived, and in what representation. */
    enum Sign {
        /** It is new, for which its metadata are enough. */
        ADDED("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "{\"type\":\"ADDED\""),

        /** A Foo has a status. Foos are small, and encoded once for all who watch them as they are. */
        STATUS("application/json", "\"availableReplicas\":");

        private final String accept;
        private final String text;

        Sign(String accept, String text) {
            this.accept = accept;
            this.text = text;
        }
    }

    /**
     * Begins.
     *
     * @param collection the URL of a watch of the objects
     * @param sign what one has that has arrived
     * @param resourceVersion from where
     */
    ArrivalWatch(ApiClient client, String collection, Sign sign, String resourceVersion) {
        this.url = collection;
        this.sign = sign;
        this.watch = new LineWatch(client, collection, sign.accept, resourceVersion, this::note);
    }

    private void note(String line) {
        long now = System.nanoTime();
        if (line.contains(sign.text)) {
            arrivals.putIfAbsent(LineWatch.field(line, "\"name\":\"", '"'), now);
            synchronized (lock) {
                lock.notifyAll();
            }
        }
    }

    /** Waits until so many have arrived in all, as long as the process that is to make them runs. */
    public void await(Process process, int count) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!await(count, POLL)) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IllegalStateException(arrivals.size() + " of " + count + " arrived at " + url + ", and "
                        + (process.isAlive() ? "no more within " + LIMIT : "the process ended"));
            }
        }
    }

    private boolean await(int count, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (lock) {
            while (arrivals.size() < count) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                lock.wait(left);
            }
        }
        return true;
    }

    /** When the object of this name arrived. */
    long arrival(String name) {
        Long arrival = arrivals.get(name);
        if (arrival == null) {
            throw new IllegalStateException(name + " has not arrived");
        }
        return arrival;
    }

    /** The first and the last whose name begins so. */
    public Span span(String prefix) {
        int count = 0;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Map.Entry<String, Long> arrival : arrivals.entrySet()) {
            if (arrival.getKey().startsWith(prefix + "-")) {
                count++;
                first = Math.min(first, arrival.getValue());
                last = Math.max(last, arrival.getValue());
            }
        }
        return new Span(count, first, last);
    }

    @Override
    public void close() {
        watch.close();
    }
}

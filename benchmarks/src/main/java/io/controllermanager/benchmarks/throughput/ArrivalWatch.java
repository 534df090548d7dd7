package io.controllermanager.benchmarks.throughput;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * Watches objects from outside and notes when each arrived. It looks for no more than the name, the version and one sign
 * in what it is sent, so as to take little processor time from what is measured.
 */
public final class ArrivalWatch implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(500);

    private final OkHttpClient http;
    private final String url;
    private final Sign sign;
    private final Map<String, Long> arrivals = new ConcurrentHashMap<>();
    private final Object lock = new Object();
    private volatile @Nullable Call call;
    private volatile boolean closed;

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
        this.http =
                client.getHttpClient().newBuilder().readTimeout(Duration.ZERO).build();
        this.url = collection;
        this.sign = sign;
        Thread thread = new Thread(() -> run(resourceVersion), "arrival-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(String resourceVersion) {
        String version = resourceVersion;
        while (!closed) {
            version = read(version);
        }
    }

    /** Reads until the API server ends the watch, as it does with one that lags, and says where to go on. */
    private String read(String from) {
        String version = from;
        Call current = http.newCall(new Request.Builder()
                .url(url + "&resourceVersion=" + from)
                .header("Accept", sign.accept)
                .build());
        call = current;
        try (Response response = current.execute()) {
            BufferedSource source = response.body().source();
            for (String line = source.readUtf8Line(); line != null; line = source.readUtf8Line()) {
                long now = System.nanoTime();
                if (line.startsWith("{\"type\":\"ERROR\"")) {
                    throw new IllegalStateException(line);
                }
                version = field(line, "\"resourceVersion\":\"");
                if (line.contains(sign.text)) {
                    arrivals.putIfAbsent(field(line, "\"name\":\""), now);
                    synchronized (lock) {
                        lock.notifyAll();
                    }
                }
            }
        } catch (IOException e) {
            if (!closed) {
                throw new UncheckedIOException(e);
            }
        }
        return version;
    }

    private static String field(String line, String before) {
        int start = line.indexOf(before) + before.length();
        return line.substring(start, line.indexOf('"', start));
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
        closed = true;
        Call current = call;
        if (current != null) {
            current.cancel();
        }
    }
}

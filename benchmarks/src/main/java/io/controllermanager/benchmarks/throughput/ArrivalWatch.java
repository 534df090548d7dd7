package io.controllermanager.benchmarks.throughput;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;

/**
 * Watches Deployments from outside and notes when the first and the last of an expected number arrived. It looks at each
 * event's first bytes only, so as to take little processor time from what is measured.
 */
final class ArrivalWatch implements AutoCloseable {

    private static final String ADDED = "{\"type\":\"ADDED\"";

    private final Call call;
    private final CountDownLatch complete = new CountDownLatch(1);
    private final int expected;
    private volatile long first;
    private volatile long last;
    private volatile int count;

    ArrivalWatch(ApiClient client, String namespace, String resourceVersion, int expected) {
        this.expected = expected;
        this.call = client.getHttpClient()
                .newBuilder()
                .readTimeout(Duration.ZERO)
                .build()
                .newCall(new Request.Builder()
                        .url(client.getBasePath() + "/apis/apps/v1/namespaces/" + namespace
                                + "/deployments?watch=true&resourceVersion=" + resourceVersion)
                        .build());
        Thread thread = new Thread(this::read, "arrival-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        try (Response response = call.execute()) {
            BufferedSource source = response.body().source();
            for (String line = source.readUtf8Line(); line != null; line = source.readUtf8Line()) {
                if (!line.startsWith(ADDED)) {
                    continue;
                }
                last = System.nanoTime();
                if (count == 0) {
                    first = last;
                }
                int arrived = count + 1;
                count = arrived;
                if (arrived == expected) {
                    complete.countDown();
                }
            }
        } catch (IOException e) {
            if (!call.isCanceled()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Whether all arrived in time. */
    boolean await(Duration timeout) throws InterruptedException {
        return complete.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    long first() {
        return first;
    }

    long last() {
        return last;
    }

    int count() {
        return count;
    }

    @Override
    public void close() {
        call.cancel();
    }
}

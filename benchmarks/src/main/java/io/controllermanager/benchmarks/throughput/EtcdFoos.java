package io.controllermanager.benchmarks.throughput;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Puts Foos into etcd past the API server, so that a wave of them comes faster than any contender reconciles them and takes
 * little processor time for being created. The API server sees them as it sees what another API server of the same cluster
 * writes; each has a revision of its own, since a watch that is resumed goes on behind a revision.
 */
final class EtcdFoos {

    private static final String REGISTRY = "/registry/";
    private static final String FOOS = REGISTRY + "samplecontroller.k8s.io/foos/";
    private static final int CONNECTIONS = 4;

    private final URI etcd;
    private final String namespace;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    EtcdFoos(URI etcd, String namespace) {
        this.etcd = etcd;
        this.namespace = namespace;
    }

    /** Puts Foos of names {@code prefix-00000} and so on, at most so many a second. */
    void put(String prefix, int count, int perSecond) throws IOException, InterruptedException {
        long start = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(threads.submit(() -> {
                    for (int index = next.getAndIncrement(); index < count; index = next.getAndIncrement()) {
                        awaitDue(start + TimeUnit.SECONDS.toNanos(index) / perSecond);
                        put(name(prefix, index));
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } finally {
            threads.shutdown();
        }
    }

    private static void awaitDue(long due) {
        long left = due - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = due - System.nanoTime();
        }
    }

    private void put(String name) throws IOException, InterruptedException {
        post(
                "/v3/kv/put",
                "{\"key\":\"" + base64(FOOS + namespace + "/" + name) + "\",\"value\":\"" + base64(stored(name))
                        + "\"}");
    }

    static String name(String prefix, int index) {
        return String.format("%s-%05d", prefix, index);
    }

    private String stored(String name) {
        return """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s",\
                "namespace":"%s","uid":"%s","generation":1,"creationTimestamp":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(name, namespace, UUID.randomUUID(), Instant.now().truncatedTo(ChronoUnit.SECONDS), name);
    }

    /** Removes all Foos, and what contenders made. */
    void clear() throws IOException, InterruptedException {
        removeAll(FOOS);
        removeAll(REGISTRY + "deployments/");
        removeAll(REGISTRY + "leases/" + namespace + "/");
        removeAll(REGISTRY + "events/" + namespace + "/");
    }

    private void removeAll(String prefix) throws IOException, InterruptedException {
        String end = prefix.substring(0, prefix.length() - 1) + (char) (prefix.charAt(prefix.length() - 1) + 1);
        post("/v3/kv/deleterange", "{\"key\":\"" + base64(prefix) + "\",\"range_end\":\"" + base64(end) + "\"}");
    }

    private void post(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(etcd.resolve(path))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("etcd answers " + response.statusCode() + ": " + response.body());
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}

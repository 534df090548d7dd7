package io.controllermanager.benchmarks.plane;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** An etcd and a kube-apiserver that let contenders in by a token, as a pod has one. */
public final class TokenPlane implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"(\\d+)\"");
    private static final Pattern REMAINING = Pattern.compile("\"remainingItemCount\":(\\d+)");

    /** Good for the API server of one run, which nobody else can reach. */
    private static final String TOKEN = "benchmark";

    private final Path directory = Files.createTempDirectory("token-plane-");
    private final ControlPlane plane;
    private final EtcdObjects etcd;
    private final ApiClient client;
    private final OkHttpClient http;

    /** Starts both. */
    public TokenPlane() throws IOException {
        Path tokens =
                Files.writeString(directory.resolve("tokens.csv"), TOKEN + ",benchmark,benchmark,system:masters\n");
        plane = ControlPlane.builder()
                .apiServerFlag("token-auth-file", tokens.toString())
                .start();
        etcd = new EtcdObjects(plane.etcdUrl());
        Files.writeString(kubeconfigFile(), withToken(plane.kubeconfig()));
        client = Config.fromConfig(new StringReader(plane.kubeconfig()));
        http = client.getHttpClient();
    }

    /** The same with a token, as a pod has one: one of the contenders cannot read the key of the certificate. */
    private static String withToken(String kubeconfig) {
        return kubeconfig
                .replaceAll(" *client-certificate-data: .*\\R", "")
                .replaceAll("client-key-data: .*", "token: " + TOKEN);
    }

    /** Where contenders find the API server. */
    public Path kubeconfigFile() {
        return directory.resolve("kubeconfig");
    }

    /** The processes, and what else a plane can do. */
    public ControlPlane plane() {
        return plane;
    }

    /** What the API server serves, to be written past it. */
    public EtcdObjects etcd() {
        return etcd;
    }

    /** The observer's own. */
    public ApiClient client() {
        return client;
    }

    /** The URL of a path such as {@code /api/v1/configmaps}. */
    public String url(String path) {
        return URI.create(client.getBasePath()).resolve(path).toString();
    }

    /** Returns once the API server's watch cache has so many objects in a collection, given by its URL. */
    public void awaitCount(String collection, int count) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (count(collection) != count) {
            if (System.nanoTime() > end) {
                throw new IOException(collection + " does not come to hold " + count);
            }
            Thread.onSpinWait();
        }
    }

    /** Read from etcd by one page of one object, once the watch cache has that version too. */
    private int count(String collection) throws IOException {
        String page = send(new Request.Builder().url(collection + "?limit=1"));
        String remaining = first(REMAINING, page);
        String version = first(VERSION, page);
        send(new Request.Builder().url(collection + "?limit=1&resourceVersion=" + version));
        if (!remaining.isEmpty()) {
            return Integer.parseInt(remaining) + 1;
        }
        return page.contains("\"uid\":") ? 1 : 0;
    }

    /** The collection's version now. */
    public String version(String collection) throws IOException {
        return first(VERSION, send(new Request.Builder().url(collection + "?limit=1")));
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** The answer's body. */
    public String send(Request.Builder request) throws IOException {
        try (Response response = http.newCall(request.build()).execute()) {
            String body = response.body().string();
            if (!response.isSuccessful()) {
                throw new IOException("HTTP " + response.code() + ": " + body);
            }
            return body;
        }
    }

    @Override
    public void close() {
        plane.close();
    }
}

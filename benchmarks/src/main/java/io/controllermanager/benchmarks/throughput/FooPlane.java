package io.controllermanager.benchmarks.throughput;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * An etcd and a kube-apiserver that know Foos, and nothing else, so that the Deployments' own controllers take no
 * processor time.
 */
public final class FooPlane implements AutoCloseable {

    /** Where all Foos are. */
    public static final String NAMESPACE = "default";

    /** The wave's rate: twice that of the fastest contender, so that none waits for it. */
    private static final int FOOS_PER_SECOND = 3_000;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"(\\d+)\"");
    private static final Pattern REMAINING = Pattern.compile("\"remainingItemCount\":(\\d+)");
    private static final MediaType JSON = MediaType.get("application/json");

    /** Good for the API server of one run, which nobody else can reach. */
    private static final String TOKEN = "benchmark";

    private final Path directory = Files.createTempDirectory("foo-plane-");
    private final ControlPlane plane;
    private final EtcdFoos etcd;
    private final ApiClient client;
    private final OkHttpClient http;

    /** Starts both and applies the CRD. */
    public FooPlane(Path crd) throws IOException, InterruptedException {
        Path tokens =
                Files.writeString(directory.resolve("tokens.csv"), TOKEN + ",benchmark,benchmark,system:masters\n");
        plane = ControlPlane.builder()
                .apiServerFlag("token-auth-file", tokens.toString())
                .start();
        etcd = new EtcdFoos(plane.etcdUrl(), NAMESPACE);
        Files.writeString(kubeconfigFile(), withToken(plane.kubeconfig()));
        client = Config.fromConfig(new StringReader(plane.kubeconfig()));
        http = client.getHttpClient();
        String kubeconfig = plane.kubeconfigFile().toString();
        run("kubectl", "--kubeconfig", kubeconfig, "apply", "-f", crd.toString());
        run(
                "kubectl",
                "--kubeconfig",
                kubeconfig,
                "wait",
                "--for=condition=Established",
                "crd/foos.samplecontroller.k8s.io");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    ApiClient client() {
        return client;
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

    /** Removes all Foos and Deployments, and returns once the API server knows. */
    public void clear() throws IOException, InterruptedException {
        etcd.clear();
        awaitCount(foos(), 0);
        awaitCount(deployments(), 0);
    }

    /** Makes Foos at once, and returns when the API server knows them, besides those that were there. */
    public void makeFoos(String prefix, int count) throws IOException, InterruptedException {
        etcd.put(prefix, count, Integer.MAX_VALUE);
        awaitCount(foos(), count);
    }

    /** Makes Foos at a rate that no contender reaches. */
    void makeWave(String prefix, int count) throws IOException, InterruptedException {
        etcd.put(prefix, count, FOOS_PER_SECOND);
    }

    /** Creates one Foo through the API server. */
    void create(String name) throws IOException {
        String foo = """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(name, name);
        send(new Request.Builder().url(foos()).post(RequestBody.create(foo, JSON)));
    }

    /** From where to watch Deployments. */
    String deploymentsVersion() throws IOException {
        return first(VERSION, send(new Request.Builder().url(deployments() + "?limit=1")));
    }

    private String foos() {
        return client.getBasePath() + "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/" + NAMESPACE + "/foos";
    }

    private String deployments() {
        return client.getBasePath() + "/apis/apps/v1/namespaces/" + NAMESPACE + "/deployments";
    }

    private void awaitCount(String collection, int count) throws IOException, InterruptedException {
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

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    private String send(Request.Builder request) throws IOException {
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

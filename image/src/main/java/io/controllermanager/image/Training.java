package io.controllermanager.image;

import io.controllermanager.testing.apiserver.ApiServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Starts the controller manager of an image before an API server in memory, has it do all that it does in a cluster, and
 * stops it, so that the JVM writes what it has learnt into a cache (JEP 483, 514 and 515), with which the image's
 * containers start.
 *
 * <p>The cache is good for the JVM and the jars that it was recorded with, at their paths: hence this runs with the JVM
 * of the image, in the directory of the image.
 */
public final class Training {

    /** The cache's file, beside the jar. */
    static final String CACHE = "application.aot";

    private static final String JAR = "controller-manager.jar";

    /** Some more of each, so that code is compiled that works often. */
    private static final int OBJECTS = 200;

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String FOOS = "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/default/foos";
    private static final String NETWORKS = "/apis/sample.k8s.io/v1/namespaces/default/networks";

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI cluster;

    private Training(URI cluster) {
        this.cluster = cluster;
    }

    /**
     * Records a cache.
     *
     * @param arguments the directory that holds {@code controller-manager.jar} and will hold the cache, and the project's
     *     {@code config}
     */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("usage: DIRECTORY-OF-THE-APPLICATION CONFIG");
        }
        Path application = Path.of(arguments[0]).toRealPath();
        Path config = Path.of(arguments[1]).toRealPath();
        try (ApiServer server = ApiServer.builder().deployments(true).start();
                TlsFront front = TlsFront.before(server.url())) {
            new Training(server.url()).record(application, config, front.kubeconfig());
        }
        System.out.println(
                "Recorded " + application.resolve(CACHE) + ": " + Files.size(application.resolve(CACHE)) + " bytes");
    }

    private void record(Path application, Path config, String kubeconfig) throws IOException, InterruptedException {
        for (String crd : List.of("samplecontroller.k8s.io_foos.yaml", "sample.k8s.io_networks.yaml")) {
            create(
                    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    Files.readString(config.resolve("crd/bases").resolve(crd)));
        }
        Path directory = Files.createTempDirectory("training-");
        Path file = Files.writeString(directory.resolve("kubeconfig"), kubeconfig);
        Path log = directory.resolve("log");
        int port = freePort();
        Process process = start(application, file, port, log);
        try {
            work(URI.create("http://localhost:" + port), process, config);
            process.destroy();
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("The controller manager did not stop as it should");
            }
            if (!Files.isRegularFile(application.resolve(CACHE))) {
                throw new IOException("The JVM recorded nothing");
            }
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; it said:\n" + Files.readString(log), e);
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(log);
            Files.delete(file);
            Files.delete(directory);
        }
    }

    private static Process start(Path application, Path kubeconfig, int port, Path log) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        // JAVA_TOOL_OPTIONS reaches this process too: what the image sets is what the cache is for.
        ProcessBuilder builder = new ProcessBuilder(
                        java.toString(),
                        "-XX:AOTCacheOutput=" + CACHE,
                        "-jar",
                        JAR,
                        "--kubeconfig=" + kubeconfig,
                        "--server.port=" + port)
                .directory(application.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        return builder.start();
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** What a day in a cluster has: objects that come, change and go, probes, scrapes. */
    private void work(URI host, Process process, Path config) throws IOException, InterruptedException {
        awaitListening(host, process);
        awaitBody(host.resolve("/actuator/health/readiness"), body -> body.contains("\"UP\""));
        awaitBody(host.resolve("/actuator/leaderelection"), body -> body.contains("\"leading\":true"));
        create(FOOS, Files.readString(config.resolve("samples/samplecontroller_v1alpha1_foo.yaml")));
        for (String network : Files.readString(config.resolve("samples/sample_v1_network.yaml"))
                .split("(?m)^---$", -1)) {
            create(NETWORKS, network);
        }
        for (int i = 0; i < OBJECTS; i++) {
            create(FOOS, foo("training-" + i));
            create(NETWORKS, network("training-" + i, i));
        }
        String last = "training-" + (OBJECTS - 1);
        awaitBody(cluster.resolve(FOOS + "/" + last), body -> body.contains("\"availableReplicas\":1"));
        awaitBody(cluster.resolve(NETWORKS + "/" + last), body -> body.contains("\"type\":\"Ready\""));
        for (int i = 0; i < OBJECTS; i++) {
            send("PATCH", FOOS + "/training-" + i, "{\"spec\":{\"replicas\":2}}", "application/merge-patch+json");
        }
        awaitBody(cluster.resolve(FOOS + "/" + last), body -> body.contains("\"availableReplicas\":2"));
        for (int i = 0; i < OBJECTS; i++) {
            send("DELETE", FOOS + "/training-" + i, "", "application/json");
            send("DELETE", NETWORKS + "/training-" + i, "", "application/json");
        }
        for (String path : List.of(
                "prometheus",
                "controllers",
                "informers",
                "leaderelection",
                "info",
                "health",
                "health/liveness",
                "health/readiness")) {
            awaitBody(host.resolve("/actuator/" + path), body -> !body.isEmpty());
        }
    }

    private void awaitListening(URI host, Process process) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                http.send(HttpRequest.newBuilder(host).build(), BodyHandlers.discarding());
                return;
            } catch (ConnectException e) {
                if (System.nanoTime() > end || process.waitFor(20, TimeUnit.MILLISECONDS)) {
                    throw new IOException("The controller manager does not listen", e);
                }
            }
        }
    }

    private static String foo(String name) {
        return """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(name, name);
    }

    private static String network(String name, int number) {
        return """
                {"apiVersion":"sample.k8s.io/v1","kind":"Network","metadata":{"name":"%s"},\
                "spec":{"cidr":"10.%d.%d.0/24"}}""".formatted(name, 100 + number / 256, number % 256);
    }

    /** Creates an object from YAML, of which JSON is a part. */
    private void create(String collection, String yaml) throws IOException, InterruptedException {
        send("POST", collection, yaml, "application/yaml");
    }

    private void send(String method, String path, String body, String contentType)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(cluster.resolve(path))
                        .method(method, BodyPublishers.ofString(body))
                        .header("Content-Type", contentType)
                        .timeout(LIMIT)
                        .build(),
                BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2) {
            throw new IOException(method + " " + path + " was answered " + answer.statusCode() + ": " + answer.body());
        }
    }

    private void awaitBody(URI uri, Predicate<String> wanted) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(LIMIT).build();
        long end = System.nanoTime() + LIMIT.toNanos();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        while (answer.statusCode() != 200 || !wanted.test(answer.body())) {
            if (System.nanoTime() > end) {
                throw new IOException(uri + " answers " + answer.statusCode() + ": " + answer.body());
            }
            TimeUnit.MILLISECONDS.sleep(20);
            answer = http.send(request, BodyHandlers.ofString());
        }
    }
}

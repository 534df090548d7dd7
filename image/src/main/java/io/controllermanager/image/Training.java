package io.controllermanager.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.apiserver.ApiServer;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Starts an application with the starter before an API server in memory, gives it objects to work on, as many as in a
 * cluster, and stops it, so that the JVM writes what it has learnt into a cache (JEP 483, 514 and 515), with which the
 * image's containers start.
 *
 * <p>The cache is good for the JVM and the jars that it was recorded with, at their paths: hence this runs with the JVM
 * of the image, in the directory of the image.
 */
public final class Training {

    /** The cache's file, beside the jar. */
    static final String CACHE = "application.aot";

    /** Some more of each, so that code is compiled that works often. */
    private static final int COPIES = 200;

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final Set<String> IDLE_STATES = Set.of("RUNNING", "DISABLED");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI cluster;
    private final URI host;
    private final Process process;

    private Training(URI cluster, URI host, Process process) {
        this.cluster = cluster;
        this.host = host;
        this.process = process;
    }

    /**
     * Records a cache.
     *
     * @param arguments the application's jar, beside which the cache will be, and files and folders with its CRDs and with
     *     objects for it to work on
     */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length < 2) {
            throw new IllegalArgumentException("usage: APPLICATION.jar CRDS-AND-OBJECTS...");
        }
        Path jar = Path.of(arguments[0]).toRealPath();
        List<Sample> manifests =
                Sample.read(Stream.of(arguments).skip(1).map(Path::of).toList());
        try (ApiServer server = ApiServer.builder().world(true).start();
                TlsFront front = TlsFront.before(server.url())) {
            record(jar, manifests, server.url(), front.kubeconfig());
        }
        Path cache = jar.resolveSibling(CACHE);
        System.out.println("Recorded " + cache + ": " + Files.size(cache) + " bytes");
    }

    private static void record(Path jar, List<Sample> manifests, URI cluster, String kubeconfig)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("training-");
        Path file = Files.writeString(directory.resolve("kubeconfig"), kubeconfig);
        Path log = directory.resolve("log");
        int port = freePort();
        Process process = start(jar, file, port, log);
        try {
            Training training = new Training(cluster, URI.create("http://localhost:" + port), process);
            training.work(manifests);
            process.destroy();
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("The application did not stop as it should");
            }
            if (!Files.isRegularFile(jar.resolveSibling(CACHE))) {
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

    private static Process start(Path jar, Path kubeconfig, int port, Path log) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        // JAVA_TOOL_OPTIONS reaches this process too: what the image sets is what the cache is for.
        ProcessBuilder builder = new ProcessBuilder(
                        java.toString(),
                        "-XX:AOTCacheOutput=" + CACHE,
                        "-jar",
                        jar.getFileName().toString(),
                        "--kubeconfig=" + kubeconfig,
                        "--server.port=" + port)
                .directory(jar.resolveSibling(".").toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        return builder.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** What a day in a cluster has: objects that come, change and go, probes, scrapes. */
    private void work(List<Sample> manifests) throws IOException, InterruptedException {
        List<Sample> objects = new ArrayList<>();
        for (Sample manifest : manifests) {
            if (manifest.isDefinition()) {
                send("POST", CRDS, manifest.object(), "application/json");
            } else {
                objects.add(manifest);
            }
        }
        awaitListening();
        awaitBody("/actuator/health/readiness", body -> body.contains("\"UP\""));
        for (Sample sample : objects) {
            String collection = collection(sample);
            for (int i = 0; i < COPIES; i++) {
                send("POST", collection, sample.copy(i).object(), "application/json");
            }
        }
        if (awaitIdle() == 0 && !objects.isEmpty()) {
            throw new IOException("No controller has worked on any of the objects");
        }
        for (Sample sample : objects) {
            String collection = collection(sample);
            for (int i = 0; i < COPIES; i++) {
                Sample copy = sample.copy(i);
                send("PATCH", collection + "/" + copy.name(), copy.change(), "application/merge-patch+json");
            }
        }
        awaitIdle();
        for (Sample sample : objects) {
            String collection = collection(sample);
            for (int i = 0; i < COPIES; i++) {
                send("DELETE", collection + "/" + sample.copy(i).name(), JSON.createObjectNode(), "application/json");
            }
        }
        awaitIdle();
        for (String path : List.of(
                "prometheus",
                "controllers",
                "informers",
                "leaderelection",
                "info",
                "health",
                "health/liveness",
                "health/readiness")) {
            awaitBody("/actuator/" + path, body -> !body.isEmpty());
        }
    }

    private void awaitListening() throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                http.send(HttpRequest.newBuilder(host).build(), BodyHandlers.discarding());
                return;
            } catch (ConnectException e) {
                if (System.nanoTime() > end || process.waitFor(20, TimeUnit.MILLISECONDS)) {
                    throw new IOException("The application does not listen", e);
                }
            }
        }
    }

    /**
     * Waits until the controllers have nothing to do, and gives the number of their reconciles. Of one that always finds
     * something to do, enough has been seen after a while.
     */
    private long awaitIdle() throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        long before = -1;
        while (true) {
            TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
            long reconciles = 0;
            long busy = 0;
            for (JsonNode controller : JSON.readTree(awaitBody("/actuator/controllers", body -> true))
                    .path("controllers")) {
                reconciles += controller.path("reconciles").asLong();
                busy += controller.path("activeWorkers").asLong()
                        + controller.path("queueDepth").asLong();
                busy += IDLE_STATES.contains(controller.path("state").asText()) ? 0 : 1;
            }
            if ((busy == 0 && reconciles == before) || System.nanoTime() > end) {
                return reconciles;
            }
            before = reconciles;
        }
    }

    /** Where objects of a sample's kind are. */
    private String collection(Sample sample) throws IOException, InterruptedException {
        String group = (sample.apiVersion().contains("/") ? "/apis/" : "/api/") + sample.apiVersion();
        HttpRequest request =
                HttpRequest.newBuilder(cluster.resolve(group)).timeout(LIMIT).build();
        JsonNode types =
                JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
        for (JsonNode type : types.path("resources")) {
            String plural = type.path("name").asText();
            if (type.path("kind").asText().equals(sample.kind()) && !plural.contains("/")) {
                return group + (type.path("namespaced").asBoolean() ? "/namespaces/default/" : "/") + plural;
            }
        }
        throw new IOException("There is no CRD for the kind " + sample.kind() + " of " + sample.apiVersion());
    }

    private void send(String method, String path, JsonNode body, String contentType)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(cluster.resolve(path))
                        .method(method, BodyPublishers.ofString(body.toString()))
                        .header("Content-Type", contentType)
                        .timeout(LIMIT)
                        .build(),
                BodyHandlers.ofString());
        // A change that a schema does not allow is nothing to learn from, and no harm.
        boolean invalid = method.equals("PATCH") && answer.statusCode() == 422;
        if (answer.statusCode() / 100 != 2 && !invalid) {
            throw new IOException(method + " " + path + " was answered " + answer.statusCode() + ": " + answer.body());
        }
    }

    private String awaitBody(String path, Predicate<String> wanted) throws IOException, InterruptedException {
        URI uri = host.resolve(path);
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
        return answer.body();
    }
}

package io.controllermanager.informer.faults;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.ControlPlaneBuilder;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** A server in which writers are at work, and what is true there. Safe for any thread. */
final class World implements AutoCloseable {

    /** How long one request may take; {@link #asked} repeats one that was not answered by then. */
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private final String name;
    private final @Nullable ApiServer embedded;
    private final @Nullable ControlPlane plane;
    private final TestedServer server;
    private final URI url;
    private final SystemTimer timer = new SystemTimer("world-timer");
    private final String namespace;
    private final Path folder;
    private final Path kubeconfig;
    private final CoreV1Api api;
    private final Writers writers;

    private World(String name, @Nullable ApiServer embedded, @Nullable ControlPlane plane, long seed) {
        this.name = name;
        this.embedded = embedded;
        this.plane = plane;
        if (embedded != null) {
            server = TestedServer.of(embedded);
            url = embedded.url();
        } else {
            server = TestedServer.of(Objects.requireNonNull(plane));
            url = plane.apiServerUrl();
        }
        namespace = server.createNamespace();
        try {
            folder = Files.createTempDirectory("faults-");
            kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        api = new CoreV1Api(server.client());
        api.getApiClient()
                .setHttpClient(api.getApiClient()
                        .getHttpClient()
                        .newBuilder()
                        .callTimeout(ANSWER)
                        .build());
        writers = new Writers(kubeconfig, namespace, timer, seed);
    }

    /** The server inside the JVM: HTTP/1.1 without TLS. */
    static World embedded(long seed) {
        return embedded(seed, 100_000);
    }

    /** The same with so many changes kept, which take this JVM's memory. */
    static World embedded(long seed, int history) {
        return new World(
                "embedded",
                ApiServer.builder()
                        .seed(seed)
                        .history(history)
                        .bookmarkInterval(Duration.ofMillis(500))
                        .start(),
                null,
                seed);
    }

    /** A real control plane: HTTP/2 and TLS. One of its own, since others could not do with its GOAWAYs. */
    static World real(String name, long seed) {
        ControlPlaneBuilder plane = ControlPlane.builder()
                // The highest that it takes: of a hundred requests, two are told to take another connection.
                .apiServerFlag("goaway-chance", "0.02")
                // A long run is a long log.
                .apiServerFlag("audit-log-maxsize", "300")
                .apiServerFlag("audit-log-maxbackup", "1");
        return new World(name, null, plane.start(), seed);
    }

    String name() {
        return name;
    }

    boolean isEmbedded() {
        return embedded != null;
    }

    ApiServer embedded() {
        return Objects.requireNonNull(embedded);
    }

    ControlPlane plane() {
        return Objects.requireNonNull(plane);
    }

    TestedServer server() {
        return server;
    }

    URI url() {
        return url;
    }

    String namespace() {
        return namespace;
    }

    /** For what belongs to a test run, and goes with this world. */
    Path folder() {
        return folder;
    }

    /** Of one who may do everything. */
    Path kubeconfig() {
        return kubeconfig;
    }

    /** As one who may do everything, past all that goes wrong. */
    CoreV1Api api() {
        return api;
    }

    Writers writers() {
        return writers;
    }

    SystemTimer timer() {
        return timer;
    }

    /** The newest resourceVersion. */
    long version() throws ApiException {
        V1ConfigMapList one = api.listNamespacedConfigMap(namespace).limit(1).execute();
        return Long.parseLong(String.valueOf(one.getMetadata().getResourceVersion()));
    }

    /** How long the server's JSON of an object is. */
    long bytes(String object) throws ApiException, IOException {
        try (Response response =
                api.readNamespacedConfigMap(object, namespace).buildCall(null).execute()) {
            return response.body().bytes().length;
        }
    }

    /** What was there at a version, by name. */
    Map<String, State> at(long version) throws ApiException {
        V1ConfigMapList list = api.listNamespacedConfigMap(namespace)
                .resourceVersion(Long.toString(version))
                .resourceVersionMatch("Exact")
                .execute();
        Map<String, State> objects = new HashMap<>();
        for (V1ConfigMap object : list.getItems()) {
            objects.put(String.valueOf(object.getMetadata().getName()), State.of(object));
        }
        return objects;
    }

    /** What is asked of a server that may be away for a while. */
    interface Question<R> {
        R ask() throws ApiException, IOException;
    }

    /** Asks until there is an answer, if only that it cannot be done; as long as any test waits. */
    <R> R asked(Question<R> question) throws ApiException, IOException, InterruptedException {
        long until = System.nanoTime() + Waiting.LIMIT.toNanos();
        while (true) {
            try {
                return question.ask();
            } catch (ApiException e) {
                boolean answered = e.getCode() >= 400 && e.getCode() < 500 && e.getCode() != 429;
                if (answered || System.nanoTime() > until) {
                    throw e;
                }
            } catch (IOException e) {
                if (System.nanoTime() > until) {
                    throw e;
                }
            } catch (JsonParseException e) {
                // What client-java makes of an answer that breaks off.
                if (!(e.getCause() instanceof IOException) || System.nanoTime() > until) {
                    throw e;
                }
            }
            timer.sleep(Duration.ofMillis(50));
        }
    }

    /** Whether the server says 410 to a watch from a version. */
    boolean hasForgotten(long version) throws ApiException, IOException {
        try (Response response = watch(version)) {
            String line = response.body().source().readUtf8Line();
            return response.code() == 410
                    || (line != null && line.contains("\"type\":\"ERROR\"") && line.contains("\"code\":410"));
        }
    }

    private Response watch(long version) throws ApiException, IOException {
        return api.listNamespacedConfigMap(namespace)
                .watch(true)
                .resourceVersion(Long.toString(version))
                .timeoutSeconds((int) ANSWER.toSeconds())
                .buildCall(null)
                .execute();
    }

    /** What happened after a version and up to another, in order, and one change at least; nothing if the server has forgotten that. */
    Optional<List<Seen>> history(long after, long upTo) throws ApiException, IOException {
        List<Seen> changes = new ArrayList<>();
        try (Response response = watch(after)) {
            BufferedSource lines = response.body().source();
            String line = lines.readUtf8Line();
            while (line != null) {
                JsonObject event = JsonParser.parseString(line).getAsJsonObject();
                String type = event.get("type").getAsString();
                JsonObject metadata = event.getAsJsonObject("object").getAsJsonObject("metadata");
                if (type.equals("ERROR")) {
                    return Optional.empty();
                }
                long version = metadata.get("resourceVersion").getAsLong();
                if (version <= upTo || changes.isEmpty()) {
                    changes.add(
                            new Seen(version, kind(type), metadata.get("name").getAsString()));
                }
                if (version >= upTo) {
                    return Optional.of(changes);
                }
                line = lines.readUtf8Line();
            }
        }
        throw new IOException("history from " + after + " to " + upTo + " ended too early");
    }

    private static Seen.Kind kind(String type) {
        return switch (type) {
            case "ADDED" -> Seen.Kind.CREATED;
            case "MODIFIED" -> Seen.Kind.UPDATED;
            default -> Seen.Kind.DELETED;
        };
    }

    @Override
    public void close() {
        writers.close();
        server.close();
        timer.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}

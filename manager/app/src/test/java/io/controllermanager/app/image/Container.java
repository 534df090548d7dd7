package io.controllermanager.app.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.Jdk;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The life of a container: it starts, does its work on an object, and is stopped. */
public final class Container {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private Container() {}

    /**
     * What a container has to do.
     *
     * @param crds files of the project that say which types there are
     * @param collection where the object is made
     * @param sample the object's file
     * @param name the object's name
     * @param done what the object has in it in the end
     */
    public record Work(List<String> crds, String collection, String sample, String name, String done) {

        public static final Work FOO = new Work(
                List.of(
                        "config/crd/bases/samplecontroller.k8s.io_foos.yaml",
                        "config/crd/bases/sample.k8s.io_networks.yaml"),
                "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/default/foos",
                "config/samples/samplecontroller_v1alpha1_foo.yaml",
                "example-foo",
                "\"availableReplicas\":1");

        public static final Work WEBSITE = new Work(
                List.of("examples/website/config/crd/websites.example.com.yaml"),
                "/apis/example.com/v1/namespaces/default/websites",
                "examples/website/config/samples/website.yaml",
                "hello",
                "\"reason\":\"Served\"");
    }

    /** The folder of the project, from wherever in it this runs. */
    static Path project() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(folder.resolve("Dockerfile"))) {
            folder = Objects.requireNonNull(folder.getParent(), "no Dockerfile");
        }
        return folder;
    }

    /**
     * Lives it.
     *
     * @param directory where the process runs
     * @param command what starts it, {@code java} first
     * @param environment besides this machine's
     * @param work what it does meanwhile
     * @return the lines that it wrote
     */
    public static List<String> live(
            Path directory, List<String> command, Map<String, String> environment, Jdk jdk, Work work)
            throws IOException, InterruptedException {
        int port = Ports.free();
        Path files = Files.createTempDirectory("container-");
        Path out = files.resolve("out");
        Path kubeconfig = files.resolve("kubeconfig");
        try (ApiServer server = ApiServer.builder().world(true).start()) {
            for (String crd : work.crds()) {
                create(server, CRDS, crd);
            }
            Files.writeString(kubeconfig, server.kubeconfig());
            List<String> whole = new ArrayList<>(command);
            whole.addAll(List.of("--kubeconfig=" + kubeconfig, "--server.port=" + port));
            Process process = Dockerfile.process(directory, whole, environment, jdk)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            try {
                awaitBody(URI.create("http://localhost:" + port + "/actuator/health/readiness"), "UP");
                create(server, work.collection(), work.sample());
                awaitBody(server.url().resolve(work.collection() + "/" + work.name()), work.done());
                process.destroy();
                assertThat(Waiting.on(process)).isZero();
            } finally {
                process.destroyForcibly();
            }
            List<String> lines = Files.readAllLines(out);
            assertThat(lines).noneMatch(line -> line.contains("NoClassDefFoundError:"));
            return lines;
        } finally {
            Files.deleteIfExists(out);
            Files.deleteIfExists(kubeconfig);
            Files.delete(files);
        }
    }

    private static void awaitBody(URI uri, String part) {
        await(uri.toString())
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                        .body()
                        .contains(part));
    }

    private static void create(ApiServer server, String collection, String file)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.url().resolve(collection))
                .header("Content-Type", "application/yaml")
                .POST(BodyPublishers.ofFile(project().resolve(file)))
                .build();
        assertThat(HTTP.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
    }
}

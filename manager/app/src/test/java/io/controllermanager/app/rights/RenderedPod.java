package io.controllermanager.app.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.process.Image;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.controlplane.TcpProxy;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1HTTPGetAction;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pod of a rendered Deployment or Job, run as kubelet would run it, but for the container: a process of this machine. The pod
 * object is on the API server, so that its token can be bound to it.
 *
 * <p>Where it differs: several pods share this machine's ports, so that environment variables have the process
 * listen elsewhere and the probes follow; the service account is mounted elsewhere, which an environment variable says; the way
 * to the API server leads through a proxy that can cut it. Nothing makes the file system read-only: {@link #close} looks
 * whether something was written to the working and home directory.
 */
final class RenderedPod implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RenderedPod.class);

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Image image;
    private final V1Pod pod;
    private final Path directory;
    private final ServiceAccountVolume serviceAccount;
    private final TcpProxy apiServer;
    private final int port;
    private final int webhookPort;
    private Process process;
    private int restarts;

    private RenderedPod(
            Image image, V1Pod pod, Path directory, ServiceAccountVolume serviceAccount, TcpProxy apiServer, int port)
            throws IOException {
        this.image = image;
        this.pod = pod;
        this.directory = directory;
        this.serviceAccount = serviceAccount;
        this.apiServer = apiServer;
        this.port = port;
        this.webhookPort = Ports.free();
        this.process = startContainer();
    }

    /** Makes the pod and starts its container. */
    static RenderedPod start(
            Image image, V1PodTemplateSpec template, String namespace, TestCluster cluster, Path parent)
            throws IOException, ApiException {
        ApiClient admin = cluster.admin();
        V1ObjectMeta described = Objects.requireNonNull(template.getMetadata());
        // The class makes an empty map of what nobody has set, which is refused.
        V1PodSpec spec = Objects.requireNonNull(template.getSpec()).overhead(null);
        V1Pod pod = new CoreV1Api(admin)
                .createNamespacedPod(
                        namespace,
                        new V1Pod()
                                .metadata(new V1ObjectMeta()
                                        .generateName("cm-")
                                        .labels(described.getLabels())
                                        .annotations(described.getAnnotations()))
                                .spec(spec))
                .execute();
        Path directory = Files.createDirectory(parent.resolve(pod.getMetadata().getName()));
        ServiceAccountVolume volume =
                ServiceAccountVolume.of(pod, admin, cluster.authority(), directory.resolve("serviceaccount"));
        return new RenderedPod(
                image, pod, directory, volume, new TcpProxy(cluster.plane().apiServerUrl()), Ports.free());
    }

    String name() {
        return pod.getMetadata().getName();
    }

    /** Where webhooks are served in place of the container's port. */
    int webhookPort() {
        return webhookPort;
    }

    /** Waits for the end of a container that ends by itself. */
    int exitCode() throws InterruptedException {
        return Waiting.on(process);
    }

    /** Ends the container by SIGKILL, and starts none. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends the container by SIGKILL, as the kernel does when memory is short, and starts another in the same pod. */
    void killAndRestart() throws IOException, InterruptedException {
        kill();
        restarts++;
        process = startContainer();
    }

    /** Has the next container begin with a token that can be revoked while the pod is there; kubelet's cannot. */
    String mountRevocableToken(ApiClient admin) throws IOException, ApiException {
        return serviceAccount.mountRevocableToken(pod, admin);
    }

    /** Does what kubelet does when a token comes of age, and what the API server does with the old one at its end. */
    void renewToken(ApiClient admin) throws IOException, ApiException {
        serviceAccount.renew(pod, admin);
    }

    /** Deletes the pod: SIGTERM, and a failure where it does not end cleanly by that. */
    void delete(ApiClient admin) throws InterruptedException, ApiException {
        process.destroy();
        assertThat(Waiting.on(process)).as(log()).isZero();
        new CoreV1Api(admin)
                .deleteNamespacedPod(name(), pod.getMetadata().getNamespace())
                .gracePeriodSeconds(0)
                .execute();
    }

    /** Cuts all connections to the API server; new ones are made at once. */
    void cutConnections() {
        apiServer.dropConnections();
    }

    /** Waits until the startup probe has succeeded, and then for the readiness probe. */
    void awaitReady() {
        V1Probe startup = Objects.requireNonNull(container().getStartupProbe());
        await(name() + " has started")
                .failFast(() -> assertThat(process.isAlive()).as(log()).isTrue())
                .until(() -> succeeds(startup));
        await(name() + " is ready")
                .failFast(() -> assertThat(process.isAlive()).as(log()).isTrue())
                .until(this::isReady);
        log.atInfo()
                .addKeyValue("pod", name())
                .addKeyValue(
                        "cpuSeconds",
                        process.info()
                                .totalCpuDuration()
                                .map(Duration::toMillis)
                                .map(millis -> millis / 1000.0)
                                .orElse(Double.NaN))
                .log("Ready");
    }

    /** What the readiness probe says. */
    boolean isReady() {
        return succeeds(Objects.requireNonNull(container().getReadinessProbe()));
    }

    /** What the liveness probe says. */
    boolean isAlive() {
        return succeeds(Objects.requireNonNull(container().getLivenessProbe()));
    }

    private boolean succeeds(V1Probe probe) {
        V1HTTPGetAction action = Objects.requireNonNull(probe.getHttpGet());
        if (action.getScheme() != null && !action.getScheme().equals("HTTP")) {
            throw new AssertionError("a probe by " + action.getScheme());
        }
        Object wanted = action.getPort().isInteger()
                ? action.getPort().getIntValue()
                : action.getPort().getStrValue();
        V1ContainerPort containerPort = Objects.requireNonNull(container().getPorts()).stream()
                .filter(each -> wanted.equals(each.getName()) || wanted.equals(each.getContainerPort()))
                .findAny()
                .orElseThrow(() -> new AssertionError("no port " + wanted));
        // What application.yaml says; the process would not be found at another one.
        assertThat(containerPort.getContainerPort()).isEqualTo(8080);
        // Without the probe's own time limit: how quick this machine is says nothing of the chart.
        int status = get(action.getPath(), "").statusCode();
        return status >= 200 && status < 400;
    }

    /** The answer to a GET, with a bearer token if there is one. */
    Answer get(String path, String token) {
        return send(authorized(path, token));
    }

    Answer post(String path, String token, String json) {
        return send(authorized(path, token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    record Answer(int statusCode, String body) {}

    private HttpRequest.Builder authorized(String path, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(Waiting.LIMIT);
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private static Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            return new Answer(0, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What the containers have written so far. */
    String log() {
        try (Stream<Path> logs = Files.list(directory)) {
            StringBuilder all = new StringBuilder();
            for (Path log : (Iterable<Path>)
                    logs.filter(file -> file.toString().endsWith(".log")).sorted()::iterator) {
                all.append(Files.readString(log));
            }
            return all.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process startContainer() throws IOException {
        List<String> given = container().getCommand();
        List<String> command = new ArrayList<>(given == null || given.isEmpty() ? image.entryPoint() : given);
        command.addAll(Objects.requireNonNull(container().getArgs()));
        Path root = Files.createDirectories(directory.resolve("root"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        directory.resolve("container-" + restarts + ".log").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment(root));
        return builder.start();
    }

    private Map<String, String> environment(Path root) throws IOException {
        Map<String, String> environment = new TreeMap<>();
        for (V1EnvVar variable : Objects.requireNonNull(container().getEnv())) {
            environment.put(variable.getName(), value(variable));
        }
        // An emptyDir of the pod's, which stays when its container is restarted, and the container's limit.
        Path tmp = Files.createDirectories(directory.resolve("tmp"));
        environment.merge(
                "JAVA_TOOL_OPTIONS",
                "-Djava.io.tmpdir=" + tmp + " -Duser.home=" + root + " -XX:MaxRAM=" + memoryLimit(),
                (theirs, ours) -> theirs + " " + ours);
        URI server = URI.create(apiServer.url());
        environment.put("KUBERNETES_SERVICE_HOST", server.getHost());
        environment.put("KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()));
        environment.put(
                "KUBERNETES_SERVICE_ACCOUNT_DIRECTORY",
                serviceAccount.directory().toString());
        environment.put("SERVER_PORT", Integer.toString(port));
        List<V1ContainerPort> ports = Objects.requireNonNullElse(container().getPorts(), List.of());
        if (ports.stream().anyMatch(each -> "webhooks".equals(each.getName()))) {
            environment.put("CONTROLLER_MANAGER_WEBHOOKS_PORT", Integer.toString(webhookPort));
        }
        environment.put("HOSTNAME", name());
        return environment;
    }

    private String value(V1EnvVar variable) {
        if (variable.getValueFrom() == null) {
            return Objects.requireNonNullElse(variable.getValue(), "");
        }
        String path =
                Objects.requireNonNull(variable.getValueFrom().getFieldRef()).getFieldPath();
        return switch (path) {
            case "metadata.uid" -> pod.getMetadata().getUid();
            case "metadata.name" -> pod.getMetadata().getName();
            case "metadata.namespace" -> pod.getMetadata().getNamespace();
            default -> throw new AssertionError("no field " + path);
        };
    }

    private String memoryLimit() {
        return Objects.requireNonNull(
                        Objects.requireNonNull(container().getResources().getLimits())
                                .get("memory"))
                .getNumber()
                .toBigInteger()
                .toString();
    }

    private V1Container container() {
        return pod.getSpec().getContainers().get(0);
    }

    /** Ends what is left, and looks for files where the container may not write. */
    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        apiServer.close();
        assertThat(directory.resolve("root")).isEmptyDirectory();
    }
}

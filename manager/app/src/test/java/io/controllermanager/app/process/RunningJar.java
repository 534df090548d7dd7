package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The executable jar, or what tests make of it, in a process of its own. */
public final class RunningJar implements AutoCloseable {

    private static final Pattern MISSING_CLASS = Pattern.compile("NoClassDefFoundError|ClassNotFoundException");

    private final Process process;
    private final int port;
    private final Path out;
    private final Path err;

    private RunningJar(Process process, int port, Path out, Path err) {
        this.process = process;
        this.port = port;
        this.out = out;
        this.err = err;
    }

    /** Starts the executable jar as it is. */
    static RunningJar startExecutable(Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(Image.bareJava());
        command.addAll(List.of("-jar", System.getProperty("controller-manager.jar")));
        return start(directory, directory, Ports.free(), Map.of(), command, arguments);
    }

    /** Starts it as it is laid out in {@link Image}, which is quicker than from the one jar. */
    public static RunningJar start(Path directory, String... arguments) throws IOException, InterruptedException {
        return start(directory, List.of(), arguments);
    }

    public static RunningJar start(Path directory, List<String> javaOptions, String... arguments)
            throws IOException, InterruptedException {
        return start(directory, Map.of(), javaOptions, arguments);
    }

    /** Starts it with environment variables besides this process's own. */
    public static RunningJar start(
            Path directory, Map<String, String> environment, List<String> javaOptions, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Image.shared().entryPoint());
        command.addAll(1, javaOptions);
        return start(directory, directory, Ports.free(), environment, command, arguments);
    }

    /** Starts it with the beans of another class as well, and a directory of its own. */
    static RunningJar startWith(Class<?> source, Path directory, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Image.shared().withSource(source));
        return start(directory, directory, Ports.free(), environment, command, arguments);
    }

    /** Starts it with the controllers of {@link MoreControllers} as well. */
    public static RunningJar startWithMoreControllers(Path directory, String... arguments)
            throws IOException, InterruptedException {
        return startWithMoreControllers(directory, List.of(), arguments);
    }

    /** The same with options for the JVM. */
    static RunningJar startWithMoreControllers(Path directory, List<String> javaOptions, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Image.shared().withSource(MoreControllers.class));
        command.addAll(1, javaOptions);
        return start(directory, directory, Ports.free(), Map.of(), command, arguments);
    }

    /** The same with a standard output and a standard error that are one pipe, which nobody reads. */
    static RunningJar startUnread(Path directory, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Image.shared().withSource(MoreControllers.class));
        return start(directory, directory, Ports.free(), Map.of(), command, true, arguments);
    }

    /** Starts a class that the tests' class path has. */
    public static RunningJar startClass(
            Path directory, int port, List<String> javaOptions, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(Image.bareJava());
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return start(directory, Path.of("").toAbsolutePath(), port, Map.of(), command, arguments);
    }

    private static RunningJar start(
            Path directory,
            Path workingDirectory,
            int port,
            Map<String, String> environment,
            List<String> command,
            String... arguments)
            throws IOException {
        return start(directory, workingDirectory, port, environment, command, false, arguments);
    }

    private static RunningJar start(
            Path directory,
            Path workingDirectory,
            int port,
            Map<String, String> environment,
            List<String> command,
            boolean unread,
            String... arguments)
            throws IOException {
        Path out = directory.resolve("out-" + port);
        Path err = directory.resolve("err-" + port);
        command.add("--server.port=" + port);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(workingDirectory.toFile());
        if (unread) {
            builder.redirectErrorStream(true);
            Files.createFile(out);
            Files.createFile(err);
        } else {
            builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        }
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("CONTROLLER_MANAGER") || name.equals("KUBECONFIG"));
        // As in a pod; the name of this machine is nobody's business.
        builder.environment().put("HOSTNAME", "controller-manager-0");
        builder.environment().putAll(environment);
        return new RunningJar(builder.start(), port, out, err);
    }

    /** Host and port that it listens on. */
    public String address() {
        return "localhost:" + port;
    }

    /** Waits for the process to end. */
    public int exitCode() throws InterruptedException {
        try {
            return Waiting.on(process);
        } catch (AssertionError e) {
            throw new AssertionError("still running; it said: " + out() + err(), e);
        }
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Sends SIGKILL, and returns when it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        Waiting.on(process);
    }

    /** Sends SIGSTOP: the process stands still until {@link #resume()}. */
    void suspend() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Sends SIGCONT. */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    /** The processor time that it has used so far, in milliseconds; counted in ticks of ten, as a rule. */
    public double cpuMillis() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e6;
    }

    public List<String> out() {
        return lines(out);
    }

    public List<String> err() {
        return lines(err);
    }

    /** The status of a GET, 0 while nobody listens. */
    public int status(String path) {
        return get(path).statusCode();
    }

    public String body(String path) {
        return get(path).body();
    }

    /** Sends JSON and gives the status and the body. */
    HttpAnswer post(String path, String json) {
        return HttpAnswer.to(HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    /** The status that a request with any method gets. */
    public int status(String method, String path) {
        return HttpAnswer.to(HttpRequest.newBuilder(uri(path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build())
                .statusCode();
    }

    public void awaitStatus(String path, int status) {
        await(path + " answers " + status)
                .failFast("it has ended: " + out + err, () -> !process.isAlive())
                .until(() -> status(path) == status);
    }

    /** The answer to a GET with a bearer token. */
    public HttpAnswer get(String path, String token) {
        return HttpAnswer.to(HttpRequest.newBuilder(uri(path))
                .header("Authorization", "Bearer " + token)
                .timeout(Waiting.LIMIT)
                .build());
    }

    private HttpAnswer get(String path) {
        return HttpAnswer.to(HttpRequest.newBuilder(uri(path)).build());
    }

    public String url(String path) {
        return "http://localhost:" + port + path;
    }

    private URI uri(String path) {
        return URI.create(url(path));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        // The executable leaves out libraries of which it loads nothing.
        assertThat(Stream.concat(out().stream(), err().stream()))
                .filteredOn(line -> MISSING_CLASS.matcher(line).find())
                .as("classes that the executable lacks")
                .isEmpty();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

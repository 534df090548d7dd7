package io.controllermanager.benchmarks.plane;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A contender with Spring Boot's endpoints, as a process that runs until this is closed. */
public final class ContenderProcess implements AutoCloseable {

    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String name;
    private final int port;
    private final Path log;
    private final long launched;
    private final Process process;

    private ContenderProcess(String name, int port, Path log, long launched, Process process) {
        this.name = name;
        this.port = port;
        this.log = log;
        this.launched = launched;
        this.process = process;
    }

    /**
     * Launches one.
     *
     * @param contender its command has {@code PORT} where the port goes
     * @param kubeconfig where it finds the API server
     * @param arguments what is added to its command
     */
    public static ContenderProcess launch(Contender contender, Path kubeconfig, List<String> arguments)
            throws IOException {
        int port = freePort();
        List<String> command = new ArrayList<>();
        contender.command().forEach(word -> command.add(word.replace("PORT", Integer.toString(port))));
        command.addAll(arguments);
        Path log = Files.createTempFile("contender-", ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        long launched = System.nanoTime();
        return new ContenderProcess(contender.name(), port, log, launched, builder.start());
    }

    /** When it was launched, by {@link System#nanoTime()}. */
    public long launched() {
        return launched;
    }

    /** Returns once its readiness is up: how many seconds after the launch. */
    public double awaitReady() throws IOException, InterruptedException {
        while (get("health/readiness") != 200) {
            if (!process.isAlive() || System.nanoTime() - launched > LIMIT_NANOS) {
                throw new IOException(name + " does not become ready; it said:\n" + Files.readString(log));
            }
            // Not more often: each answer costs processor time that is counted.
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return (System.nanoTime() - launched) / 1e9;
    }

    /** The status of the answer of an endpoint such as {@code prometheus}, 0 if there is none. */
    public int get(String endpoint) throws InterruptedException {
        try {
            URI uri = URI.create("http://localhost:" + port + "/actuator/" + endpoint);
            return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    /** What it has used until now. */
    public Usage usage() throws IOException {
        return Usage.of(process);
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        process.onExit().join();
        Files.delete(log);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}

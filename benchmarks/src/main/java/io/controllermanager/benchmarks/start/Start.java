package io.controllermanager.benchmarks.start;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.Usage;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One start of an application.
 *
 * @param seconds from the command until readiness is up
 * @param usage what the process had used by then
 */
public record Start(double seconds, Usage usage) {

    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Starts a contender, whose command has {@code PORT} where the port goes, and stops it again. */
    public static Start of(Contender contender, Path kubeconfig) throws IOException, InterruptedException {
        int port = freePort();
        List<String> command = contender.command().stream()
                .map(word -> word.replace("PORT", Integer.toString(port)))
                .toList();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(new File("/dev/null")));
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        HttpRequest readiness = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/actuator/health/readiness"))
                .build();
        long started = System.nanoTime();
        Process process = builder.start();
        try {
            while (!isReady(readiness)) {
                if (!process.isAlive() || System.nanoTime() - started > LIMIT_NANOS) {
                    throw new IOException(contender.name() + " does not become ready");
                }
                // Not more often: each answer costs processor time that is counted.
                TimeUnit.MILLISECONDS.sleep(20);
            }
            return new Start((System.nanoTime() - started) / 1e9, Usage.of(process));
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    private static boolean isReady(HttpRequest readiness) throws InterruptedException {
        try {
            return HTTP.send(readiness, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}

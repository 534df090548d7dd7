package io.controllermanager.benchmarks.scrape;

import io.controllermanager.apiserver.ApiServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts the controller manager with many more controllers, all at work, and reads its metrics again and again, as
 * Prometheus does: over a connection that is kept.
 *
 * <p>Usage: {@code ScrapeTime CONTROLLERS SCRAPES [JVM FLAGS...]}, with the application's classes on the class path.
 */
public final class ScrapeTime {

    private static final int WARM_UP = 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private ScrapeTime() {}

    /** Prints two lines: without asking for compression and with it. */
    public static void main(String[] args) throws Exception {
        int controllers = Integer.parseInt(args[0]);
        int scrapes = Integer.parseInt(args[1]);
        Path directory = Files.createTempDirectory("scrape");
        int port = freePort();
        try (ApiServer server = ApiServer.start()) {
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of(args).subList(2, args.length));
            command.addAll(List.of(
                    "-Dspring.main.sources=" + ManyControllers.class.getName(),
                    "-D" + ManyControllers.PROPERTY + "=" + controllers,
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.controllermanager.app.Main",
                    "--kubeconfig=" + kubeconfig,
                    "--controllers=*,-foo,-network",
                    "--server.port=" + port));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            try {
                measure(process, directory, port, controllers, scrapes);
            } finally {
                process.destroy();
                process.waitFor();
            }
        }
    }

    private static void measure(Process process, Path directory, int port, int controllers, int scrapes)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/prometheus"));
        String last = "controller=\"many-" + controllers + "\",result=\"requeue_after\"} ";
        while (!isAtWork(request.build(), last)) {
            if (!process.isAlive()) {
                throw new IOException(Files.readString(directory.resolve("log")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        System.out.println(
                "encoding  controllers  scrapes  series    bytes  first_ms   min_ms   p50_ms   p99_ms   max_ms");
        long series = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .count();
        for (String encoding : List.of("identity", "gzip")) {
            HttpRequest encoded =
                    request.copy().header("Accept-Encoding", encoding).build();
            long bytes = 0;
            double first = 0;
            double[] millis = new double[scrapes];
            for (int i = -WARM_UP; i < scrapes; i++) {
                long start = System.nanoTime();
                bytes = HTTP.send(encoded, HttpResponse.BodyHandlers.ofByteArray())
                        .body()
                        .length;
                double took = (System.nanoTime() - start) / 1e6;
                if (i == -WARM_UP) {
                    first = took;
                } else if (i >= 0) {
                    millis[i] = took;
                }
                // Time for the reconciles, which would otherwise only get what scrapes leave.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            Arrays.sort(millis);
            System.out.printf(
                    Locale.ROOT,
                    "%-8s  %11d  %7d  %6d  %7d  %8.1f  %7.1f  %7.1f  %7.1f  %7.1f%n",
                    encoding,
                    controllers,
                    scrapes,
                    series,
                    bytes,
                    first,
                    millis[0],
                    millis[scrapes / 2],
                    millis[(int) Math.ceil(scrapes * 0.99) - 1],
                    millis[scrapes - 1]);
        }
    }

    /** Whether a controller has reconciled; not while nobody listens. */
    private static boolean isAtWork(HttpRequest request, String series) throws InterruptedException {
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .anyMatch(line -> line.contains(series) && !line.endsWith(" 0.0"));
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

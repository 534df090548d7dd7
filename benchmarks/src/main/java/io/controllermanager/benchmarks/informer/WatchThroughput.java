package io.controllermanager.benchmarks.informer;

import io.controllermanager.benchmarks.plane.Usage;
import io.controllermanager.testing.controlplane.AuditLevel;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/**
 * One informer with 20 handlers, while objects are updated at a rate: how long it takes until each handler has been told
 * of each update, and whether one was missed. Each contender in turn, as a process of its own, against the same API server
 * and the same objects; the writer is this process, and all go by the monotonic clock of the machine, which {@link
 * System#nanoTime()} is on Linux.
 *
 * <p>Usage: {@code WatchThroughput REAL_PER_SECOND EMBEDDED_PER_SECOND SECONDS SERVER_COMMAND CONTENDERS}. The command
 * starts the embedded server ({@link ApiServerProcess}) when a kubeconfig's name is added; in the file of contenders each
 * line is a name, a tab and a command, to which namespace, handlers, updates, file and run are added. A rate of 0 leaves a
 * server out. Ends with 1 if a handler missed an update.
 */
public final class WatchThroughput {

    private static final int HANDLERS = 20;

    /** Before these have passed, no update is counted: JVMs get warm. */
    private static final int WARM_UP_SECONDS = 10;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int seconds;
    private final Path contenders;
    private boolean failed;

    private WatchThroughput(int seconds, Path contenders) {
        this.seconds = seconds;
        this.contenders = contenders;
    }

    /** Runs all contenders on both servers; prints one line for each. */
    public static void main(String[] args) throws Exception {
        int real = Integer.parseInt(args[0]);
        int embedded = Integer.parseInt(args[1]);
        WatchThroughput all = new WatchThroughput(Integer.parseInt(args[2]), Path.of(args[4]));
        System.out.printf(
                "%d handlers; %d s counted after %d s to get warm; milliseconds%n",
                HANDLERS, all.seconds, WARM_UP_SECONDS);
        System.out.printf(
                "%-9s %-12s %7s %7s %9s %7s %6s | %-23s | %-23s | %6s %5s%n",
                "server",
                "contender",
                "asked/s",
                "sent/s",
                "told",
                "missing",
                "twice",
                "since sent p50 p99 max",
                "since answer",
                "cpu_s",
                "MiB");
        if (real > 0) {
            all.onRealServer(real);
        }
        if (embedded > 0) {
            all.onEmbeddedServer(embedded, List.of(args[3].split(" ", -1)));
        }
        System.exit(all.failed ? 1 : 0);
    }

    private void onRealServer(int perSecond) throws Exception {
        try (ControlPlane plane =
                ControlPlane.builder().auditLevel(AuditLevel.NONE).start()) {
            ApiClient client = Config.fromConfig(plane.kubeconfigFile().toString());
            run(
                    "real",
                    client.getHttpClient().sslSocketFactory(),
                    plane.apiServerUrl(),
                    plane.kubeconfigFile(),
                    plane.createNamespace("throughput"),
                    perSecond);
        }
    }

    private void onEmbeddedServer(int perSecond, List<String> command) throws Exception {
        Path kubeconfig = Files.createTempFile("embedded-", ".kubeconfig");
        List<String> whole = new ArrayList<>(command);
        whole.add(kubeconfig.toString());
        Process server = new ProcessBuilder(whole)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = reader(server)) {
            awaitLine(said, "started");
            URI url = URI.create(Config.fromConfig(kubeconfig.toString()).getBasePath());
            run("embedded", SocketFactory.getDefault(), url, kubeconfig, "default", perSecond);
        } finally {
            server.getOutputStream().close();
            server.waitFor(10, TimeUnit.SECONDS);
            server.destroyForcibly();
            Files.deleteIfExists(kubeconfig);
        }
    }

    private void run(String server, SocketFactory sockets, URI url, Path kubeconfig, String namespace, int perSecond)
            throws Exception {
        // Each object once a second: updates that follow each other are of different objects.
        UpdateWriter writer = new UpdateWriter(sockets, url, namespace, perSecond);
        writer.create();
        int number = 0;
        for (String line : Files.readAllLines(contenders)) {
            String[] parts = line.split("\t", -1);
            String run = "run" + number++;
            measure(server, parts[0], List.of(parts[1].split(" ", -1)), writer, kubeconfig, namespace, run, perSecond);
        }
    }

    private void measure(
            String server,
            String name,
            List<String> command,
            UpdateWriter writer,
            Path kubeconfig,
            String namespace,
            String run,
            int perSecond)
            throws Exception {
        int warm = WARM_UP_SECONDS * perSecond;
        int updates = warm + seconds * perSecond;
        Path file = Files.createTempFile("arrivals-", "");
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(namespace, Integer.toString(HANDLERS), Integer.toString(updates), file.toString(), run));
        ProcessBuilder builder = new ProcessBuilder(whole).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        Process process = builder.start();
        try (BufferedReader said = reader(process)) {
            awaitLine(said, "synced");
            Usage before = Usage.of(process);
            UpdateWriter.Updates sent = writer.update(run, updates, perSecond);
            awaitCompletion(said);
            Usage after = Usage.of(process);
            try (OutputStream in = process.getOutputStream()) {
                in.write('\n');
            }
            if (process.waitFor() != 0) {
                throw new IOException(name + " ended with " + process.exitValue());
            }
            report(server, name, perSecond, warm, sent, file, after.cpuSeconds() - before.cpuSeconds(), after);
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(file);
        }
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void awaitLine(BufferedReader said, String expected) throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.equals(expected)) {
                return;
            }
        }
        throw new IOException("the process ended before it was " + expected);
    }

    /** Waits until every handler has everything, or for so long that what is missing will not come. */
    private static void awaitCompletion(BufferedReader said) throws InterruptedException {
        CountDownLatch complete = new CountDownLatch(1);
        Thread reading = new Thread(
                () -> {
                    try {
                        awaitLine(said, "complete");
                        complete.countDown();
                    } catch (IOException e) {
                        // It is not; what is missing shows in what it writes.
                    }
                },
                "completion");
        reading.setDaemon(true);
        reading.start();
        complete.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private void report(
            String server,
            String name,
            int perSecond,
            int warm,
            UpdateWriter.Updates updates,
            Path file,
            double cpuSeconds,
            Usage usage)
            throws IOException {
        int count = updates.count();
        long[] sinceSent = new long[HANDLERS * (count - warm)];
        long[] sinceAnswer = new long[sinceSent.length];
        long missing = 0;
        int told = 0;
        long twice;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            twice = in.readLong();
            for (int i = 0; i < count; i++) {
                if (in.readLong() != updates.versions[i]) {
                    // Then no handler was told of it either, or of another state than was written.
                    failed = true;
                }
            }
            for (int handler = 0; handler < HANDLERS; handler++) {
                for (int i = 0; i < count; i++) {
                    long arrival = in.readLong();
                    if (arrival == 0) {
                        missing++;
                    } else if (i >= warm) {
                        sinceSent[told] = arrival - updates.sent[i];
                        sinceAnswer[told] = arrival - updates.answered[i];
                        told++;
                    }
                }
            }
        }
        failed |= missing > 0;
        System.out.printf(
                Locale.ROOT,
                "%-9s %-12s %7d %7.0f %9d %7d %6d | %s | %s | %6.1f %5d%n",
                server,
                name,
                perSecond,
                updates.rate(warm),
                told,
                missing,
                twice,
                latencies(sinceSent, told),
                latencies(sinceAnswer, told),
                cpuSeconds,
                usage.peakMebibytes());
    }

    private static String latencies(long[] nanos, int count) {
        if (count == 0) {
            return "none";
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return String.format(
                Locale.ROOT,
                "%7.2f %7.2f %7.1f",
                sorted[count / 2] / 1e6,
                sorted[(int) (count * 0.99)] / 1e6,
                sorted[count - 1] / 1e6);
    }
}

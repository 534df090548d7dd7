package io.controllermanager.benchmarks.compilers;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.ContenderProcess;
import io.controllermanager.benchmarks.plane.Usage;
import io.controllermanager.benchmarks.throughput.FooPlane;
import io.controllermanager.benchmarks.throughput.Latency;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of one contender: from its launch on for some minutes.
 *
 * @param contender its name
 * @param load changes a second
 * @param readySeconds from the launch until it was ready
 * @param ready what it had used by then
 * @param minute what it had used after a minute
 * @param end what it had used at the end
 * @param first of changes between readiness and the end of the first minute, null if there were none
 * @param last of changes in the last minute, null if there were none
 * @param made how many changes there were
 * @param seen how many of them came to a Deployment
 */
record PolicyRun(
        String contender,
        int load,
        double readySeconds,
        Usage ready,
        Usage minute,
        Usage end,
        @Nullable Latency first,
        @Nullable Latency last,
        int made,
        int seen) {

    static final String HEADER = String.format(
            "%-44s %4s | %7s %7s %7s %7s | %8s %8s | %8s %8s | %5s %7s %7s",
            "policy",
            "load",
            "ready_s",
            "cpu_s",
            "cpu_1m",
            "cpu_end",
            "1st_p50",
            "1st_p99",
            "last_p50",
            "last_p99",
            "MiB",
            "made",
            "seen");

    /** For the last changes to be seen. */
    private static final int GRACE_SECONDS = 5;

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** A line of results. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%-44s %4d | %7.2f %7.2f %7.2f %7.2f | %17s | %17s | %5d %7d %7d",
                contender,
                load,
                readySeconds,
                ready.cpuSeconds(),
                minute.cpuSeconds(),
                end.cpuSeconds(),
                text(first),
                text(last),
                end.peakMebibytes(),
                made,
                seen);
    }

    private static String text(@Nullable Latency latency) {
        return latency == null
                ? String.format("%8s %8s", "-", "-")
                : String.format(Locale.ROOT, "%8.1f %8.1f", latency.p50(), latency.p99());
    }

    /** Runs one alone in its namespace. */
    static PolicyRun of(Contender contender, FooPlane plane, String namespace, int foos, int load, int minutes)
            throws IOException, InterruptedException {
        List<String> own = List.of("--namespace=" + namespace, "--leader-elect-resource-name=" + namespace);
        ExecutorService driver = Executors.newSingleThreadExecutor();
        ScheduledExecutorService cluster = Executors.newSingleThreadScheduledExecutor();
        try (Changes changes = new Changes(plane, namespace, foos, load, minutes * 60);
                ContenderProcess process = ContenderProcess.launch(contender, plane.kubeconfigFile(), own)) {
            long launched = process.launched();
            long end = launched + minutes * MINUTE;
            Future<?> making = driver.submit(() -> {
                changes.make(launched, end);
                return null;
            });
            ask(process, cluster, 10, "health/liveness");
            ask(process, cluster, 10, "health/readiness");
            ask(process, cluster, 15, "prometheus");

            double readySeconds = process.awaitReady();
            long readyNanos = System.nanoTime();
            Usage ready = process.usage();
            sleepUntil(launched + MINUTE);
            Usage minute = process.usage();
            sleepUntil(end);
            Usage atEnd = process.usage();

            making.get();
            TimeUnit.SECONDS.sleep(GRACE_SECONDS);
            return new PolicyRun(
                    contender.name(),
                    load,
                    readySeconds,
                    ready,
                    minute,
                    atEnd,
                    changes.latency(readyNanos, launched + MINUTE),
                    changes.latency(Math.max(readyNanos, end - MINUTE), end),
                    changes.made(),
                    changes.seen());
        } catch (ExecutionException e) {
            throw new IOException(contender.name(), e.getCause());
        } finally {
            driver.shutdownNow();
            cluster.shutdownNow();
        }
    }

    /** As a kubelet or a Prometheus does. */
    private static void ask(
            ContenderProcess process, ScheduledExecutorService cluster, int everySeconds, String endpoint) {
        Future<?> unused = cluster.scheduleAtFixedRate(
                () -> {
                    try {
                        process.get(endpoint);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                everySeconds,
                everySeconds,
                TimeUnit.SECONDS);
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
    }
}

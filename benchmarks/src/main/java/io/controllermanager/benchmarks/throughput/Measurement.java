package io.controllermanager.benchmarks.throughput;

import io.controllermanager.benchmarks.plane.Usage;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One run of one contender.
 *
 * @param contender its name
 * @param firstSeconds from the start of the process to the first Deployment
 * @param lastSeconds from the start of the process to the last Deployment of the Foos that were there before it
 * @param coldPerSecond Deployments a second between these two
 * @param coldUsage what the process had used by the last
 * @param coldLatency from a Foo created to its Deployment seen, after that
 * @param warmPerSecond Deployments a second from the first to the last of the second wave
 * @param warmCpuSeconds processor time within the second wave
 * @param peakMebibytes the largest resident set until the end
 * @param warmLatency from a Foo created to its Deployment seen, after the second wave
 */
record Measurement(
        String contender,
        double firstSeconds,
        double lastSeconds,
        double coldPerSecond,
        Usage coldUsage,
        Latency coldLatency,
        double warmPerSecond,
        double warmCpuSeconds,
        double peakMebibytes,
        Latency warmLatency) {

    static final String HEADER = String.format(
            "%-28s %6s | %7s %7s %6s %6s %5s %6s %6s | %6s %6s %5s %6s %6s",
            "contender",
            "round",
            "first_s",
            "last_s",
            "per_s",
            "cpu_s",
            "MiB",
            "p50_ms",
            "p99_ms",
            "per_s",
            "cpu_s",
            "MiB",
            "p50_ms",
            "p99_ms");

    /** A line of results. */
    String line(String round) {
        return String.format(
                Locale.ROOT,
                "%-28s %6s | %7.2f %7.2f %6.0f %6.2f %5d %6.1f %6.1f | %6.0f %6.2f %5.0f %6.1f %6.1f",
                contender,
                round,
                firstSeconds,
                lastSeconds,
                coldPerSecond,
                coldUsage.cpuSeconds(),
                coldUsage.peakMebibytes(),
                coldLatency.p50(),
                coldLatency.p99(),
                warmPerSecond,
                warmCpuSeconds,
                peakMebibytes,
                warmLatency.p50(),
                warmLatency.p99());
    }

    /** The median of each figure by itself. */
    static Measurement median(List<Measurement> runs) {
        return new Measurement(
                runs.get(0).contender,
                median(runs, Measurement::firstSeconds),
                median(runs, Measurement::lastSeconds),
                median(runs, Measurement::coldPerSecond),
                new Usage(
                        median(runs, run -> run.coldUsage.cpuSeconds()),
                        Math.round(median(runs, run -> run.coldUsage.peakMebibytes()))),
                new Latency(median(runs, run -> run.coldLatency.p50()), median(runs, run -> run.coldLatency.p99())),
                median(runs, Measurement::warmPerSecond),
                median(runs, Measurement::warmCpuSeconds),
                median(runs, Measurement::peakMebibytes),
                new Latency(median(runs, run -> run.warmLatency.p50()), median(runs, run -> run.warmLatency.p99())));
    }

    private static double median(List<Measurement> runs, ToDoubleFunction<Measurement> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

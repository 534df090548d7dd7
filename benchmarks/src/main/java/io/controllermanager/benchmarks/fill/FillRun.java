package io.controllermanager.benchmarks.fill;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One run of one contender.
 *
 * @param contender its name
 * @param coldMillis the first fill
 * @param coldCpuSeconds processor time of the process from its launch until then
 * @param coldPeak its largest resident set until then, in MiB
 * @param warmMillis a later fill
 * @param warmCpuSeconds processor time of the process within one
 * @param warmServerCpuSeconds processor time of the API server within one
 * @param heap the live heap with one filled cache, in MiB
 * @param peak the largest resident set until the end, in MiB
 */
record FillRun(
        String contender,
        double coldMillis,
        double coldCpuSeconds,
        double coldPeak,
        double warmMillis,
        double warmCpuSeconds,
        double warmServerCpuSeconds,
        double heap,
        double peak) {

    static final String HEADER = String.format(
            "%-33s %6s | %7s %6s %5s | %7s %6s %10s | %8s %8s",
            "contender", "round", "cold_ms", "cpu_s", "MiB", "warm_ms", "cpu_s", "server_cpu", "heap_MiB", "peak_MiB");

    /** A line of results. */
    String line(String round) {
        return String.format(
                Locale.ROOT,
                "%-33s %6s | %7.0f %6.2f %5.0f | %7.0f %6.2f %10.2f | %8.0f %8.0f",
                contender,
                round,
                coldMillis,
                coldCpuSeconds,
                coldPeak,
                warmMillis,
                warmCpuSeconds,
                warmServerCpuSeconds,
                heap,
                peak);
    }

    /** The median of each figure by itself. */
    static FillRun median(List<FillRun> runs) {
        return new FillRun(
                runs.get(0).contender,
                median(runs, FillRun::coldMillis),
                median(runs, FillRun::coldCpuSeconds),
                median(runs, FillRun::coldPeak),
                median(runs, FillRun::warmMillis),
                median(runs, FillRun::warmCpuSeconds),
                median(runs, FillRun::warmServerCpuSeconds),
                median(runs, FillRun::heap),
                median(runs, FillRun::peak));
    }

    private static double median(List<FillRun> runs, ToDoubleFunction<FillRun> figure) {
        return median(runs.stream().mapToDouble(figure).toArray());
    }

    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

package io.controllermanager.benchmarks.throughput;

import java.util.Arrays;

/**
 * How long something took, in milliseconds.
 *
 * @param p50 the median
 * @param p99 what 99 of 100 did not exceed
 */
public record Latency(double p50, double p99) {

    /** Of measurements in nanoseconds, at least one. */
    public static Latency of(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Latency(percentile(sorted, 50), percentile(sorted, 99));
    }

    private static double percentile(long[] sorted, int percent) {
        int rank = (int) Math.ceil(percent / 100.0 * sorted.length);
        return sorted[Math.max(0, rank - 1)] / 1e6;
    }
}

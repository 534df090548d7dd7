package io.controllermanager.benchmarks.throughput;

import java.util.Locale;

/**
 * One run of one contender.
 *
 * @param contender its name
 * @param round which run it was, from 1
 * @param deployments how many Deployments it made
 * @param launchToFirstSeconds from the start of the process to the first Deployment
 * @param firstToLastSeconds from the first Deployment to the last
 * @param cpuSeconds processor time until the last Deployment
 * @param peakMemoryMebibytes the process's largest resident set until then
 */
record Measurement(
        String contender,
        int round,
        int deployments,
        double launchToFirstSeconds,
        double firstToLastSeconds,
        double cpuSeconds,
        long peakMemoryMebibytes) {

    static final String HEADER = String.format(
            "%-28s %5s %11s %8s %8s %8s %8s %6s",
            "contender", "round", "deployments", "first_s", "span_s", "per_s", "cpu_s", "MiB");

    double perSecond() {
        return deployments / firstToLastSeconds;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%-28s %5d %11d %8.2f %8.2f %8.0f %8.2f %6d",
                contender,
                round,
                deployments,
                launchToFirstSeconds,
                firstToLastSeconds,
                perSecond(),
                cpuSeconds,
                peakMemoryMebibytes);
    }
}

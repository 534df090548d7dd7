package io.controllermanager.benchmarks.webhooks;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code apiserver_admission_webhook_admission_duration_seconds} says of all webhooks together.
 *
 * @param sum of all times, in seconds
 * @param buckets how many took no longer than so many seconds; the last has no end, and all
 */
record CallTimes(double sum, TreeMap<Double, Double> buckets) {

    private static final Pattern LINE = Pattern.compile(
            "(?m)^apiserver_admission_webhook_admission_duration_seconds_(?:sum|bucket)\\{[^}]*?(?:le=\"([^\"]+)\")?\\} (\\S+)$");

    /** Of what the API server's {@code /metrics} answers. */
    static CallTimes of(String metrics) {
        double sum = 0;
        TreeMap<Double, Double> buckets = new TreeMap<>();
        for (Matcher line = LINE.matcher(metrics); line.find(); ) {
            double value = Double.parseDouble(line.group(2));
            if (line.group(1) == null) {
                sum += value;
            } else {
                buckets.merge(Double.parseDouble(line.group(1).replace("+Inf", "Infinity")), value, Double::sum);
            }
        }
        return new CallTimes(sum, buckets);
    }

    CallTimes since(CallTimes before) {
        TreeMap<Double, Double> added = new TreeMap<>(buckets);
        before.buckets.forEach((bound, there) -> added.merge(bound, -there, Double::sum));
        return new CallTimes(sum - before.sum, added);
    }

    double meanMillis() {
        return sum / buckets.lastEntry().getValue() * 1e3;
    }

    /** As Prometheus' {@code histogram_quantile}, for which times are spread evenly within a bucket. */
    double millis(double quantile) {
        double rank = quantile * buckets.lastEntry().getValue();
        double from = 0;
        double below = 0;
        for (Map.Entry<Double, Double> bucket :
                buckets.headMap(Double.POSITIVE_INFINITY).entrySet()) {
            if (bucket.getValue() >= rank) {
                return (from + (bucket.getKey() - from) * (rank - below) / (bucket.getValue() - below)) * 1e3;
            }
            from = bucket.getKey();
            below = bucket.getValue();
        }
        return from * 1e3;
    }
}

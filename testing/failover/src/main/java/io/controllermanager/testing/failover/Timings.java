package io.controllermanager.testing.failover;

import java.time.Duration;
import java.util.List;

/**
 * Those of leader election.
 *
 * @param leaseDuration how long others wait after the last renewal that they saw
 * @param renewDeadline how long the leader leads on without a renewal
 * @param retryPeriod how often the Lease is renewed or tried for
 */
public record Timings(Duration leaseDuration, Duration renewDeadline, Duration retryPeriod) {

    /** client-go's. */
    public static final Timings DEFAULTS =
            new Timings(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));

    /** So short that a test has time for some rounds. */
    public static final Timings SHORT =
            new Timings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(500));

    /** Reads seconds, such as {@code 15/10/2} or {@code 3/2/0.5}. */
    static Timings parse(String text) {
        List<Duration> parts = List.of(text.split("/", -1)).stream()
                .map(part -> Duration.ofMillis(Math.round(Double.parseDouble(part) * 1000)))
                .toList();
        return new Timings(parts.get(0), parts.get(1), parts.get(2));
    }

    @Override
    public String toString() {
        return seconds(leaseDuration) + "/" + seconds(renewDeadline) + "/" + seconds(retryPeriod) + " s";
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0
                ? Long.toString(duration.toSeconds())
                : Double.toString(duration.toMillis() / 1e3);
    }
}

package io.controllermanager.spring.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go writes them, such as {@code 1m30s}; see {@code time.ParseDuration}. */
public final class GoDuration {

    private static final Pattern WHOLE =
            Pattern.compile("([-+]?)((?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+)");
    private static final Pattern PART = Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "µs", 1_000L,
            "μs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);

    private GoDuration() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException if it is none, or longer than about 292 years
     */
    static Duration parse(String text) {
        Matcher whole = WHOLE.matcher(text);
        if (!whole.matches()) {
            throw new IllegalArgumentException("not a duration: " + text);
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(whole.group(2));
        while (part.find()) {
            long unit = NANOS.getOrDefault(part.group(2), 0L);
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit)));
        }
        if (whole.group(1).equals("-")) {
            nanos = nanos.negate();
        }
        try {
            return Duration.ofNanos(nanos.toBigInteger().longValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("too long: " + text, e);
        }
    }

    /** Writes a duration as Go would, such as {@code 1m30s}. */
    public static String format(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
            BigDecimal millis = BigDecimal.valueOf(duration.toNanos(), 6).stripTrailingZeros();
            return millis.toPlainString() + "ms";
        }
        long hours = duration.toHours();
        int minutes = duration.toMinutesPart();
        BigDecimal seconds = BigDecimal.valueOf(duration.toSecondsPart())
                .add(BigDecimal.valueOf(duration.toNanosPart(), 9))
                .stripTrailingZeros();
        return (hours == 0 ? "" : hours + "h")
                + (minutes == 0 ? "" : minutes + "m")
                + (seconds.signum() == 0 ? "" : seconds.toPlainString() + "s");
    }
}

package io.controllermanager.spring.actuate.zpages;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Since when the process runs, its versions, and where there is more to see. Java's version has the place of Go's. */
public final class Statusz extends ZPage {

    private static final long serialVersionUID = 1;

    private static final DateTimeFormatter UNIX_DATE =
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss zzz yyyy", Locale.ENGLISH);

    private final String version;
    private final TreeSet<String> paths;
    private final Instant startedAt = Instant.ofEpochMilli(
                    ManagementFactory.getRuntimeMXBean().getStartTime())
            .truncatedTo(ChronoUnit.SECONDS);

    /**
     * Makes the page.
     *
     * @param version the application's own
     * @param paths of what else there is; their first parts are shown
     */
    public Statusz(String component, String version, List<String> paths) {
        super("Statusz", component);
        this.version = version;
        this.paths = new TreeSet<>();
        paths.forEach(path -> this.paths.add(path.replaceFirst("^(/[^/]+).*", "$1")));
    }

    @Override
    String text() {
        long up = uptime().toSeconds();
        return """

                Started: %s
                Up: %d hr %02d min %02d sec
                Go version: %s
                Binary version: %s

                Paths: %s
                """.formatted(
                        UNIX_DATE.format(startedAt.atZone(ZoneId.systemDefault())),
                        up / 3600,
                        up / 60 % 60,
                        up % 60,
                        java(),
                        version,
                        String.join(" ", paths));
    }

    @Override
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("startTime", startedAt.toString());
        fields.put("uptimeSeconds", uptime().toSeconds());
        fields.put("goVersion", java());
        fields.put("binaryVersion", version);
        fields.put("paths", List.copyOf(paths));
        return fields;
    }

    private static String java() {
        return "java" + Runtime.version();
    }

    private static Duration uptime() {
        return Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }
}

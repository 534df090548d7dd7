package io.controllermanager.spring.actuate.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.util.Map;
import java.util.Set;

/**
 * Makes the meters that Spring Boot, Micrometer and Tomcat bring conform to Prometheus's naming rules, so that {@code
 * promtool check metrics} has nothing to say: a help text for each, base units, no reserved suffix.
 */
public final class PrometheusConventions implements MeterFilter {

    /** Counted in milliseconds and nanoseconds, which only a meter of its own could turn into seconds. */
    private static final Set<String> DENIED = Set.of("jvm.compilation.time", "process.cpu.time");

    private static final Map<String, String> RENAMED = Map.of("system.cpu.count", "system.cpus");

    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "http.server.requests", "How long HTTP requests took.",
            "http.server.requests.active", "How long HTTP requests under way have taken so far.",
            "tomcat.sessions.active.current", "Sessions that are active.",
            "tomcat.sessions.active.max", "The most sessions that were active at once.",
            "tomcat.sessions.alive.max", "The longest that a session was alive.",
            "tomcat.sessions.created", "Sessions made.",
            "tomcat.sessions.expired", "Sessions that expired.",
            "tomcat.sessions.rejected", "Sessions refused because there were too many.");

    @Override
    public MeterFilterReply accept(Meter.Id id) {
        return DENIED.contains(id.getName()) ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
    }

    @Override
    public Meter.Id map(Meter.Id id) {
        String description = id.getDescription();
        if (description == null || description.isBlank()) {
            String words = id.getName().replace('.', ' ').replace('_', ' ');
            description = DESCRIPTIONS.getOrDefault(
                    id.getName(), Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".");
        }
        return new Meter.Id(
                RENAMED.getOrDefault(id.getName(), id.getName()),
                Tags.of(id.getTagsAsIterable()),
                id.getBaseUnit(),
                description,
                id.getType());
    }
}

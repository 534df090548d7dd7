package io.controllermanager.spring.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.event.KeyValuePair;

/**
 * Makes the names of a line's fields distinct before it is written as JSON. Spring Boot's structured formats do not write
 * a line at all in which a name comes twice: a reconciler's key {@code name}, which the MDC has as well, or {@code error}
 * beside an exception; nor, in ECS, one in which a name is the beginning of another, as of {@code name.first}. Such a key
 * gets an underscore in front; one that says what the MDC says is left out.
 */
final class DistinctLogFields extends Filter<ILoggingEvent> {

    /** What ECS and Logstash write themselves, or begin names with. */
    private static final Set<String> RESERVED = Set.of(
            "@timestamp",
            "@version",
            "ecs",
            "error",
            "level",
            "level_value",
            "log",
            "logger_name",
            "message",
            "process",
            "service",
            "stack_trace",
            "tags",
            "thread_name");

    @Override
    public FilterReply decide(ILoggingEvent event) {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (event instanceof LoggingEvent line && pairs != null && !pairs.isEmpty()) {
            Map<String, String> context = line.getMDCPropertyMap();
            Set<String> names = new HashSet<>(RESERVED);
            names.addAll(context.keySet());
            List<KeyValuePair> distinct = new ArrayList<>(pairs.size());
            for (KeyValuePair pair : pairs) {
                if (!String.valueOf(pair.value).equals(context.get(pair.key))) {
                    String name = pair.key;
                    while (isTaken(name, names)) {
                        name = "_" + name;
                    }
                    names.add(name);
                    distinct.add(new KeyValuePair(name, pair.value));
                }
            }
            line.setKeyValuePairs(distinct);
        }
        return FilterReply.NEUTRAL;
    }

    private static boolean isTaken(String name, Set<String> names) {
        return names.stream()
                .anyMatch(taken -> taken.equals(name) || taken.startsWith(name + ".") || name.startsWith(taken + "."));
    }
}

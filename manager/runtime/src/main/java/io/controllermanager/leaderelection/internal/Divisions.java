package io.controllermanager.leaderelection.internal;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How many shards each divided controller has, as the annotation of an anchor says it: {@code bar=4,foo=16}. A controller
 * that was divided once stays, with one shard. What was edited by hand and makes no sense stays as it is.
 *
 * @param parts what follows the name, with the equals sign, by controller
 */
record Divisions(SortedMap<String, String> parts) {

    /** Nothing was ever divided. */
    static final Divisions NONE = new Divisions(Collections.emptySortedMap());

    private static final Pattern COUNT = Pattern.compile("=\\s*([1-9][0-9]{0,8})\\s*");

    /** What the annotation says; null for no annotation. */
    static Divisions parse(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return NONE;
        }
        SortedMap<String, String> parts = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            int end = part.indexOf('=');
            String name = (end < 0 ? part : part.substring(0, end)).strip();
            if (!part.isBlank()) {
                parts.put(name, end < 0 ? "" : part.substring(end).strip());
            }
        }
        return new Divisions(parts);
    }

    /** The number of a controller's shards; null if it is not said, or not as a number. */
    @Nullable
    Integer count(String controller) {
        String said = parts.get(controller);
        Matcher number = COUNT.matcher(said == null ? "" : said);
        return number.matches() ? (Integer) Integer.parseInt(number.group(1)) : null;
    }

    /** Whether a controller is or was divided. */
    boolean mentions(String controller) {
        return parts.containsKey(controller);
    }

    /** What a process with these divided controllers writes over this. */
    Divisions replacedBy(Map<String, Integer> divided) {
        SortedMap<String, String> replaced = new TreeMap<>();
        parts.forEach((name, said) -> replaced.put(name, count(name) == null ? said : "=1"));
        divided.forEach((name, count) -> replaced.put(name, "=" + count));
        return new Divisions(replaced);
    }

    /** The annotation; null for none. */
    @Nullable
    String text() {
        return parts.isEmpty()
                ? null
                : parts.entrySet().stream()
                        .map(part -> part.getKey() + part.getValue())
                        .collect(Collectors.joining(","));
    }
}

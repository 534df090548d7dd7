package io.controllermanager.spring.application;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The properties that the build asked for when it prepared the application's context, and what it found. The context is that
 * of every start that finds the same. Immutable.
 *
 * @param found the value of each that was set
 * @param missing those that were not set
 */
record PreparedConditions(Map<String, String> found, Set<String> missing) {

    /** Marks a value, so that one that is empty is not taken for none. */
    private static final String SET = "=";

    PreparedConditions {
        found = Map.copyOf(found);
        missing = Set.copyOf(missing);
    }

    /**
     * Asks for the properties once more.
     *
     * @param names those that were asked for
     * @param lookup the value of a property; null where it is not set
     */
    static PreparedConditions of(Collection<String> names, UnaryOperator<@Nullable String> lookup) {
        Map<String, String> found = new TreeMap<>();
        Set<String> missing = new HashSet<>();
        for (String name : names) {
            String value = lookup.apply(name);
            if (value == null) {
                missing.add(name);
            } else {
                found.put(name, value);
            }
        }
        return new PreparedConditions(found, missing);
    }

    /** What {@link #text()} has written. */
    static PreparedConditions parse(String text) {
        Properties lines = new Properties();
        try {
            lines.load(new StringReader(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return of(lines.stringPropertyNames(), name -> {
            String value = lines.getProperty(name);
            return value.startsWith(SET) ? value.substring(SET.length()) : null;
        });
    }

    /** One line for each property, in their order. */
    String text() {
        StringBuilder text = new StringBuilder();
        Map<String, String> lines = new TreeMap<>();
        missing.forEach(name -> lines.put(name, ""));
        found.forEach((name, value) -> lines.put(name, SET + value));
        lines.forEach((name, value) ->
                text.append(escaped(name)).append(" = ").append(escaped(value)).append('\n'));
        return text.toString();
    }

    /**
     * Why this start is another than that of the build; null if it is the same.
     *
     * @param names every name that is set anywhere, in any spelling
     * @param lookup the value of a property; null where it is not set
     */
    @Nullable
    String difference(Collection<String> names, UnaryOperator<@Nullable String> lookup) {
        for (Map.Entry<String, String> was : found.entrySet()) {
            String value = lookup.apply(was.getKey());
            if (!was.getValue().equals(value)) {
                return was.getKey() + (value == null ? " is not set" : " is " + value);
            }
        }
        Set<String> set = new HashSet<>();
        names.forEach(name -> set.add(uniform(name)));
        for (String name : missing) {
            // The names come first, since a lookup goes through every source.
            if (set.contains(uniform(name))) {
                String value = lookup.apply(name);
                if (value != null) {
                    return name + " is " + value;
                }
            }
        }
        return null;
    }

    /** The same for all spellings of a name, those of environment variables included. */
    private static String uniform(String name) {
        return name.replaceAll("[^\\p{Alnum}]", "").toLowerCase(Locale.ROOT);
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars().forEach(c -> {
            if (c > ' ' && c < 0x7f && "\\=:#!".indexOf(c) < 0) {
                escaped.append((char) c);
            } else {
                escaped.append(String.format("\\u%04x", c));
            }
        });
        return escaped.toString();
    }
}

package io.controllermanager.spring.application;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
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
 * @param found a hash of the value of each that was set; the value itself may be a secret
 * @param missing those that were not set
 */
record PreparedConditions(Map<String, String> found, Set<String> missing) {

    PreparedConditions {
        found = Map.copyOf(found);
        missing = Set.copyOf(missing);
    }

    /**
     * Asks for the properties once more, and for those below them, such as the elements of a list.
     *
     * @param asked the names that were asked for
     * @param set every name that is set anywhere, in any spelling
     * @param lookup the value of a property; null where it is not set
     */
    static PreparedConditions of(
            Collection<String> asked, Collection<String> set, UnaryOperator<@Nullable String> lookup) {
        Map<String, String> found = new TreeMap<>();
        Set<String> missing = new HashSet<>();
        Set<String> names = new HashSet<>(asked);
        Set<String> prefixes = uniform(asked);
        set.stream().filter(name -> isBelow(uniform(name), prefixes)).forEach(names::add);
        for (String name : names) {
            String value = lookup.apply(name);
            if (value == null) {
                missing.add(name);
            } else {
                found.put(name, hash(value));
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
        Map<String, String> found = new TreeMap<>();
        Set<String> missing = new HashSet<>();
        for (String name : lines.stringPropertyNames()) {
            String hash = lines.getProperty(name);
            if (hash.isEmpty()) {
                missing.add(name);
            } else {
                found.put(name, hash);
            }
        }
        return new PreparedConditions(found, missing);
    }

    /** One line for each property, in their order. */
    String text() {
        StringBuilder text = new StringBuilder();
        Map<String, String> lines = new TreeMap<>(found);
        missing.forEach(name -> lines.put(name, ""));
        lines.forEach((name, hash) ->
                text.append(escaped(name)).append(" = ").append(hash).append('\n'));
        return text.toString();
    }

    /**
     * The name of a property by which this start is another than that of the build; null if it is the same.
     *
     * @param set every name that is set anywhere, in any spelling
     * @param lookup the value of a property; null where it is not set
     */
    @Nullable
    String difference(Collection<String> set, UnaryOperator<@Nullable String> lookup) {
        for (Map.Entry<String, String> was : found.entrySet()) {
            String value = lookup.apply(was.getKey());
            if (value == null || !was.getValue().equals(hash(value))) {
                return was.getKey();
            }
        }
        Set<String> known = uniform(found.keySet());
        Set<String> unset = uniform(missing);
        Set<String> different = new HashSet<>();
        for (String name : set) {
            String spelt = uniform(name);
            if (unset.contains(spelt)) {
                different.add(spelt);
            } else if (!known.contains(spelt) && (isBelow(spelt, known) || isBelow(spelt, unset))) {
                return name;
            }
        }
        // A lookup goes through every source, and few are left to ask for.
        return missing.stream()
                .filter(name -> different.contains(uniform(name)) && lookup.apply(name) != null)
                .findFirst()
                .orElse(null);
    }

    /** Whether a name is longer than one of the others and begins with it, as the elements of a list do. */
    private static boolean isBelow(String uniform, Set<String> others) {
        return others.stream().anyMatch(other -> uniform.length() > other.length() && uniform.startsWith(other));
    }

    private static Set<String> uniform(Collection<String> names) {
        Set<String> uniform = new HashSet<>();
        names.forEach(name -> uniform.add(uniform(name)));
        return uniform;
    }

    /** The same for all spellings of a name, those of environment variables included. */
    private static String uniform(String name) {
        StringBuilder uniform = new StringBuilder(name.length());
        name.chars().filter(Character::isLetterOrDigit).forEach(c -> uniform.append((char) c));
        return uniform.toString().toLowerCase(Locale.ROOT);
    }

    private static String hash(String value) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
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

package io.controllermanager.spring.application;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The properties that the build asked for when it prepared the application's context, and what it found. The context is that
 * of every start that finds the same. Immutable.
 *
 * @param hashes a hash of each one's value, which itself may be a secret; empty for one that was not set
 */
record PreparedConditions(Map<String, String> hashes) {

    /** Between a property and its hash, which has no blank in it. */
    private static final String SEPARATOR = " = ";

    PreparedConditions {
        hashes = Collections.unmodifiableMap(new TreeMap<>(hashes));
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
        Set<String> above = uniform(asked);
        Map<String, String> hashes = new TreeMap<>();
        asked.forEach(name -> hashes.put(name, hash(lookup.apply(name))));
        set.stream()
                .filter(name -> isBelow(uniform(name), above))
                .forEach(name -> hashes.put(name, hash(lookup.apply(name))));
        return new PreparedConditions(hashes);
    }

    /** What {@link #text()} has written. */
    static PreparedConditions parse(String text) {
        Map<String, String> hashes = new TreeMap<>();
        text.lines().forEach(line -> {
            int end = line.lastIndexOf(SEPARATOR);
            hashes.put(line.substring(0, end), line.substring(end + SEPARATOR.length()));
        });
        return new PreparedConditions(hashes);
    }

    /** One line for each property, in their order. */
    String text() {
        return hashes.entrySet().stream()
                .map(one -> one.getKey() + SEPARATOR + one.getValue() + "\n")
                .collect(Collectors.joining());
    }

    /**
     * The name of a property by which this start is another than that of the build; null if it is the same.
     *
     * @param set every name that is set anywhere, in any spelling
     * @param lookup the value of a property; null where it is not set
     */
    @Nullable
    String difference(Collection<String> set, UnaryOperator<@Nullable String> lookup) {
        Set<String> recorded = uniform(hashes.keySet());
        for (String name : set) {
            String spelt = uniform(name);
            if (!recorded.contains(spelt) && isBelow(spelt, recorded)) {
                return name;
            }
        }
        Set<String> now = uniform(set);
        return hashes.entrySet().stream()
                // A lookup goes through every source, and most of the properties are set neither then nor now.
                .filter(then -> !then.getValue().isEmpty() || now.contains(uniform(then.getKey())))
                .filter(then -> !then.getValue().equals(hash(lookup.apply(then.getKey()))))
                .map(Map.Entry::getKey)
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

    private static String hash(@Nullable String value) {
        if (value == null) {
            return "";
        }
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}

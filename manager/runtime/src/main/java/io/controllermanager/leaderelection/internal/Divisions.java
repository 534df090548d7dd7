package io.controllermanager.leaderelection.internal;

import io.controllermanager.informer.Shards;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How each divided controller is divided, as the annotation of an anchor says it: {@code bar=4,foo=16/uid}. Where it does not
 * say by what, that is by namespace range, as in versions that knew no other order of namespaces. By namespace it says
 * {@code foo=1,foo/mixed=16}: those versions read that as one shard, which is another division, and write one shard over
 * both parts. A controller that was divided once stays, with one shard. What was edited by hand and makes no sense stays as
 * it is. The Lease of a shard says it too, of its own controller.
 *
 * <p>Of all controllers that are not divided it says {@code *=own} if each has a Lease of its own, and {@code *=shared} if they
 * work by the anchor and each had one before.
 *
 * @param parts what follows the name, with the equals sign, by controller
 */
record Divisions(SortedMap<String, String> parts) {

    /** Nothing was ever divided. */
    static final Divisions NONE = new Divisions(Collections.emptySortedMap());

    /** Follows the controller's name where its keys are divided by namespace. */
    private static final String MIXED = "/mixed";

    /** Stands for the name of each controller that is not divided. Given with one shard, each has a Lease of its own. */
    static final String EACH = "*";

    private static final String OWN = "=own";

    private static final String SHARED = "=shared";

    private static final Pattern SHARDS =
            Pattern.compile("=\\s*([1-9][0-9]{0,2})\\s*(?:/\\s*(namespace|name|uid)\\s*)?");

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

    /** How a controller is divided; null if it is not said, or makes no sense. */
    @Nullable
    Shards of(String controller) {
        Shards plain = read(parts.get(controller));
        if (!parts.containsKey(controller + MIXED)) {
            return plain;
        }
        Shards mixed = read(parts.get(controller + MIXED));
        if (plain == null || mixed == null || (plain.divide() && mixed.divide())) {
            return null;
        }
        return mixed.divide() ? new Shards(mixed.count(), Shards.By.NAMESPACE) : plain;
    }

    private static @Nullable Shards read(@Nullable String said) {
        Matcher shards = SHARDS.matcher(said == null ? "" : said);
        if (!shards.matches() || Integer.parseInt(shards.group(1)) > Shards.MOST) {
            return null;
        }
        String by = shards.group(2);
        return new Shards(
                Integer.parseInt(shards.group(1)),
                by == null || by.equals("namespace")
                        ? Shards.By.NAMESPACE_RANGE
                        : Shards.By.valueOf(by.toUpperCase(Locale.ROOT)));
    }

    private static String text(Shards shards) {
        return "=" + shards.count()
                + (shards.byNamespace() ? "" : "/" + shards.by().word());
    }

    /** Whether a controller is or was divided. */
    boolean mentions(String controller) {
        return parts.containsKey(controller) || parts.containsKey(controller + MIXED);
    }

    /** Whether each controller that is not divided has a Lease of its own. */
    boolean own() {
        return OWN.equals(parts.get(EACH));
    }

    /** Whether each has one, or had one before. */
    boolean wereOwn() {
        return parts.containsKey(EACH);
    }

    /** What a process with these divided controllers writes over this; {@link #EACH} is one of them if it has Leases for each. */
    Divisions replacedBy(Map<String, Shards> divided) {
        SortedMap<String, String> replaced = new TreeMap<>();
        parts.forEach((name, said) ->
                replaced.put(name, name.equals(EACH) ? SHARED : read(said) == null ? said : text(Shards.ONE)));
        divided.forEach((name, shards) -> {
            replaced.remove(name + MIXED);
            replaced.put(name, name.equals(EACH) ? OWN : text(shards));
            if (shards.by() == Shards.By.NAMESPACE && shards.divide()) {
                replaced.put(name, text(Shards.ONE));
                replaced.put(name + MIXED, text(shards));
            }
        });
        return new Divisions(replaced);
    }

    /** The annotation; null for none. */
    @Nullable
    String text() {
        String text = parts.entrySet().stream()
                .map(part -> part.getKey() + part.getValue())
                .collect(Collectors.joining(","));
        return text.isEmpty() ? null : text;
    }
}

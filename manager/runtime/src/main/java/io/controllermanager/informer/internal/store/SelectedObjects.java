package io.controllermanager.informer.internal.store;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** Tells which objects a collection's URL asks for, by its selectors. */
public final class SelectedObjects {

    private static final Set<String> SELECTORS = Set.of("labelSelector", "fieldSelector");

    /** Parameters that say how to list and not what. */
    public static final Set<String> PLAIN = Set.of(
            "allowWatchBookmarks",
            "continue",
            "limit",
            "pretty",
            "resourceVersion",
            "resourceVersionMatch",
            "sendInitialEvents",
            "timeoutSeconds",
            "watch");

    /** Commas, except those between the parentheses of a set. */
    private static final Pattern COMMA = Pattern.compile(",(?![^(]*\\))");

    private static final Pattern SET = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^)]*)\\)");
    private static final Pattern EQUALITY = Pattern.compile("([^=!<>\\s]+)\\s*(==|=|!=)\\s*([^=!<>\\s]*)");
    private static final Pattern EXISTENCE = Pattern.compile("(!?)\\s*([^=!<>()\\s]+)");

    private final List<Predicate<JsonObject>> conditions;

    private SelectedObjects(List<Predicate<JsonObject>> conditions) {
        this.conditions = conditions;
    }

    /**
     * Those with the labels and fields; null if a selector is not understood.
     *
     * @param labels a label selector, null for none
     * @param fields a field selector, null for none
     */
    public static @Nullable SelectedObjects of(@Nullable String labels, @Nullable String fields) {
        List<Predicate<JsonObject>> conditions = new ArrayList<>();
        if (labels != null && !labels.isBlank()) {
            for (String term : COMMA.split(labels, -1)) {
                Predicate<Map<String, String>> requirement = label(term.strip());
                if (requirement == null) {
                    return null;
                }
                conditions.add(object -> requirement.test(labels(object)));
            }
        }
        if (fields != null && !fields.isBlank()) {
            for (String term : fields.split(",", -1)) {
                Predicate<JsonObject> condition = field(term);
                if (condition == null) {
                    return null;
                }
                conditions.add(condition);
            }
        }
        return new SelectedObjects(conditions);
    }

    /** Those that a URL asks for; null if it asks in a way that is not understood. */
    public static @Nullable SelectedObjects of(HttpUrl url) {
        for (String parameter : url.queryParameterNames()) {
            if (!SELECTORS.contains(parameter) && !PLAIN.contains(parameter)) {
                return null;
            }
        }
        return of(url.queryParameter("labelSelector"), url.queryParameter("fieldSelector"));
    }

    /** Whether the object, as the API server wrote it, is one of them. */
    public boolean contains(JsonObject object) {
        return conditions.stream().allMatch(condition -> condition.test(object));
    }

    private static Map<String, String> labels(JsonObject object) {
        Map<String, String> labels = new HashMap<>();
        if (object.get("metadata") instanceof JsonObject metadata && metadata.get("labels") instanceof JsonObject all) {
            all.entrySet().forEach(entry -> labels.put(entry.getKey(), text(entry.getValue())));
        }
        return labels;
    }

    /** Label selectors as they stand in URLs: client-java's class can only write them. */
    private static @Nullable Predicate<Map<String, String>> label(String text) {
        Matcher set = SET.matcher(text);
        if (set.matches()) {
            String key = set.group(1);
            Set<String> values = Arrays.stream(set.group(3).split(",", -1))
                    .map(String::strip)
                    .collect(Collectors.toUnmodifiableSet());
            boolean in = set.group(2).equals("in");
            return labels -> in == (labels.containsKey(key) && values.contains(labels.get(key)));
        }
        Matcher equality = EQUALITY.matcher(text);
        if (equality.matches()) {
            String key = equality.group(1);
            String value = equality.group(3);
            boolean equal = !equality.group(2).equals("!=");
            return labels -> equal == value.equals(labels.get(key));
        }
        Matcher existence = EXISTENCE.matcher(text);
        if (existence.matches()) {
            boolean there = existence.group(1).isEmpty();
            String key = existence.group(2);
            return labels -> there == labels.containsKey(key);
        }
        return null;
    }

    private static @Nullable Predicate<JsonObject> field(String term) {
        int sign = term.indexOf('=');
        if (sign < 1) {
            return null;
        }
        boolean equal = term.charAt(sign - 1) != '!';
        String[] path = term.substring(0, equal ? sign : sign - 1).split("\\.", -1);
        String value = term.substring(term.startsWith("==", sign) ? sign + 2 : sign + 1);
        return object -> equal == value.equals(at(object, path));
    }

    /** A field that is not there counts as empty, as the API server has it. */
    private static String at(JsonObject object, String[] path) {
        JsonElement element = object;
        for (String name : path) {
            element = element instanceof JsonObject parent ? parent.get(name) : null;
        }
        return text(element);
    }

    private static String text(@Nullable JsonElement element) {
        return element instanceof JsonPrimitive primitive ? primitive.getAsString() : "";
    }
}

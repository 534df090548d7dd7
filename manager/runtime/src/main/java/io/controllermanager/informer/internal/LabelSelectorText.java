package io.controllermanager.informer.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads label selectors as they stand in URLs: client-java's class can only write them. */
final class LabelSelectorText {

    /** Commas, except those between the parentheses of a set. */
    private static final Pattern COMMA = Pattern.compile(",(?![^(]*\\))");

    private static final Pattern SET = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^)]*)\\)");
    private static final Pattern EQUALITY = Pattern.compile("([^=!<>\\s]+)\\s*(==|=|!=)\\s*([^=!<>\\s]*)");
    private static final Pattern EXISTENCE = Pattern.compile("(!?)\\s*([^=!<>()\\s]+)");

    private LabelSelectorText() {}

    /** A selector that objects' labels can be asked; null if it is not understood. */
    static @Nullable Predicate<Map<String, String>> parse(String text) {
        List<Predicate<Map<String, String>>> requirements = new ArrayList<>();
        if (!text.isBlank()) {
            for (String part : COMMA.split(text, -1)) {
                Predicate<Map<String, String>> requirement = requirement(part.strip());
                if (requirement == null) {
                    return null;
                }
                requirements.add(requirement);
            }
        }
        return labels -> requirements.stream().allMatch(requirement -> requirement.test(labels));
    }

    private static @Nullable Predicate<Map<String, String>> requirement(String text) {
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
}

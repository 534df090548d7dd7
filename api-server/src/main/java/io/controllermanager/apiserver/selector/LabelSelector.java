package io.controllermanager.apiserver.selector;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A parsed {@code labelSelector}: requirements that all have to hold (apimachinery, labels/selector.go). */
public record LabelSelector(List<Predicate<Map<String, String>>> requirements) {

    private static final Pattern IN = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^)]*)\\)");
    private static final Pattern EQUALITY = Pattern.compile("([^=!\\s]+)\\s*(==|=|!=)\\s*([^=!\\s]*)");
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern ORDER = Pattern.compile("([^<>=!\\s]+)\\s*([<>])\\s*(\\d{1,18})");
    private static final Pattern EXISTENCE = Pattern.compile("(!?)\\s*([A-Za-z0-9][-A-Za-z0-9_./]*)");
    /** Commas, except those between the parentheses of a set. */
    private static final Pattern BETWEEN = Pattern.compile(",(?![^(]*\\))");

    private static final Map<String, String> FORMS =
            Map.of("In", "%s in (%s)", "NotIn", "%s notin (%s)", "DoesNotExist", "!%s");

    /** Reads a selector; 400 for what is no selector. */
    public static LabelSelector parse(String text) {
        Stream<String> parts = text.isBlank() ? Stream.empty() : Arrays.stream(BETWEEN.split(text, -1));
        return new LabelSelector(parts.map(part -> requirement(part.strip())).toList());
    }

    /** Writes the selector of a workload, be it labels alone (apimachinery, LabelSelectorAsSelector). */
    public static String text(JsonNode selector) {
        boolean plain = !selector.path("matchLabels").isObject()
                && !selector.path("matchExpressions").isArray();
        List<Map.Entry<String, String>> parts = new ArrayList<>();
        Meta.texts(plain ? selector : selector.path("matchLabels"))
                .forEach((key, value) -> parts.add(Map.entry(key, key + "=" + value)));
        selector.path("matchExpressions").forEach(expression -> {
            String key = expression.path("key").asText();
            String values =
                    Json.texts(expression.path("values")).stream().sorted().collect(Collectors.joining(","));
            String form = FORMS.getOrDefault(expression.path("operator").asText(), "%s");
            parts.add(Map.entry(key, form.formatted(key, values)));
        });
        return parts.stream()
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .collect(Collectors.joining(","));
    }

    /** Reads a selector as objects have it. */
    public static LabelSelector of(JsonNode selector) {
        return parse(text(selector));
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    public boolean matches(Map<String, String> labels) {
        return requirements.stream().allMatch(requirement -> requirement.test(labels));
    }

    private static Predicate<Map<String, String>> requirement(String text) {
        Matcher in = IN.matcher(text);
        if (in.matches()) {
            Stream<String> values = Arrays.stream(in.group(3).split(",", -1)).map(String::strip);
            boolean wanted = in.group(2).equals("in");
            return isIn(text, in.group(1), values.collect(Collectors.toSet()), wanted);
        }
        Matcher equality = EQUALITY.matcher(text);
        if (equality.matches()) {
            boolean wanted = !equality.group(2).equals("!=");
            return isIn(text, equality.group(1), Set.of(equality.group(3)), wanted);
        }
        Matcher order = ORDER.matcher(text);
        if (order.matches()) {
            check(text, order.group(1), Set.of());
            long limit = Long.parseLong(order.group(3));
            int wanted = order.group(2).equals(">") ? 1 : -1;
            return labels ->
                    INTEGER.matcher(labels.getOrDefault(order.group(1), "")).matches()
                            && Long.compare(Long.parseLong(labels.get(order.group(1))), limit) == wanted;
        }
        Matcher existence = EXISTENCE.matcher(text);
        if (existence.matches()) {
            String key = existence.group(2);
            check(text, key, Set.of());
            boolean wanted = existence.group(1).isEmpty();
            return labels -> labels.containsKey(key) == wanted;
        }
        throw StatusException.badRequest("unable to parse requirement: found '" + text
                + "', expected: one of '!', an identifier, '=', '==', '!=', 'in', 'notin'");
    }

    /** A label that is not there is in no set. */
    private static Predicate<Map<String, String>> isIn(String text, String key, Set<String> values, boolean wanted) {
        check(text, key, values);
        return labels -> (labels.containsKey(key) && values.contains(labels.get(key))) == wanted;
    }

    private static void check(String text, String key, Set<String> values) {
        if (!Meta.isKey(key) || !values.stream().allMatch(Meta::isLabelValue)) {
            throw StatusException.badRequest("unable to parse requirement: invalid label: '" + text + "'");
        }
    }
}

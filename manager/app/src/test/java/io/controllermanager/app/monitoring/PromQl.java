package io.controllermanager.app.monitoring;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a query in PromQL names. Prometheus has no way to ask for that, so it is read from the text; what is not understood
 * turns up as a metric that does not exist, which fails whoever asks for it.
 *
 * @param selectors each metric with its matchers, as written
 * @param labels what it groups by and matches on
 */
record PromQl(Set<String> selectors, Set<String> labels) {

    private static final Pattern TOKEN = Pattern.compile(
            // A clause with labels; a function; durations and numbers; what else is no metric; a metric.
            "\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\((?<labels>[^)]*)\\)"
                    + "|(?<function>[a-z_0-9]+)\\s*\\("
                    + "|(?<duration>\\[[^]]*]|\\b[0-9][0-9a-z.]*)"
                    + "|\\b(?:and|or|unless|offset|bool|by|on|sum|min|max|count|group)\\b"
                    + "|(?<selector>[a-z_][a-z_0-9]*(?:\\{[^}]*})?)");

    private static final Pattern COMMA = Pattern.compile(",");

    static PromQl of(String query) {
        Set<String> selectors = new LinkedHashSet<>();
        Set<String> labels = new LinkedHashSet<>();
        Matcher token = TOKEN.matcher(query);
        while (token.find()) {
            if (token.group("selector") != null) {
                selectors.add(token.group("selector"));
            } else if (token.group("labels") != null) {
                COMMA.splitAsStream(token.group("labels")).map(String::strip).forEach(labels::add);
            }
        }
        return new PromQl(selectors, labels);
    }

    /** A selector without its matchers. */
    static String metric(String selector) {
        return selector.replaceAll("\\{.*", "");
    }
}

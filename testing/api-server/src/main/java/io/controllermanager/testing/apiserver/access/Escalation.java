package io.controllermanager.testing.apiserver.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rights that somebody would give without having them (kubernetes, pkg/registry/rbac/validation and component-helpers,
 * auth/rbac/validation/policy_comparator.go).
 */
final class Escalation {

    /** Whoever has these may do everything. */
    static final List<PolicyRule> EVERYTHING = List.of(
            new PolicyRule(List.of("*"), List.of("*"), List.of("*"), List.of(), List.of()),
            new PolicyRule(List.of("*"), List.of(), List.of(), List.of(), List.of("*")));

    private Escalation() {}

    /**
     * What is given, but not had: rules of one resource and all verbs that are missing of it, as the API server tells of
     * them; empty if nothing is.
     *
     * @param held what the giver may do
     */
    static Set<String> missing(List<PolicyRule> held, List<PolicyRule> given) {
        Set<String> missing = new TreeSet<>();
        // By all but the verb.
        Map<PolicyRule, List<String>> verbs = new LinkedHashMap<>();
        for (PolicyRule rule : given) {
            for (PolicyRule single : split(rule)) {
                if (held.stream().noneMatch(having -> covers(having, single))) {
                    PolicyRule any = new PolicyRule(
                            List.of(),
                            single.apiGroups(),
                            single.resources(),
                            single.resourceNames(),
                            single.nonResourceUrls());
                    if (single.resources().isEmpty()) {
                        missing.add(describe(any, single.verbs()));
                    } else {
                        verbs.computeIfAbsent(any, key -> new ArrayList<>()).addAll(single.verbs());
                    }
                }
            }
        }
        verbs.forEach((rule, all) -> missing.add(describe(rule, all)));
        return missing;
    }

    /** The same as rules of one verb, one resource and at most one name each, or of one verb and one path. */
    private static List<PolicyRule> split(PolicyRule rule) {
        List<PolicyRule> singles = new ArrayList<>();
        for (String group : rule.apiGroups()) {
            for (String resource : rule.resources()) {
                for (String verb : rule.verbs()) {
                    List<List<String>> names = rule.resourceNames().isEmpty()
                            ? List.of(List.of())
                            : rule.resourceNames().stream().map(List::of).toList();
                    names.forEach(name -> singles.add(
                            new PolicyRule(List.of(verb), List.of(group), List.of(resource), name, List.of())));
                }
            }
        }
        for (String path : rule.nonResourceUrls()) {
            for (String verb : rule.verbs()) {
                singles.add(new PolicyRule(List.of(verb), List.of(), List.of(), List.of(), List.of(path)));
            }
        }
        return singles;
    }

    private static boolean covers(PolicyRule held, PolicyRule single) {
        boolean names = held.resourceNames().isEmpty()
                || (!single.resourceNames().isEmpty() && held.resourceNames().containsAll(single.resourceNames()));
        return names
                && coversAll(held.verbs(), single.verbs())
                && coversAll(held.apiGroups(), single.apiGroups())
                && single.resources().stream().allMatch(resource -> coversResource(held.resources(), resource))
                && single.nonResourceUrls().stream()
                        .allMatch(path ->
                                held.nonResourceUrls().stream().anyMatch(url -> PolicyRule.coversPath(url, path)));
    }

    private static boolean coversAll(List<String> held, List<String> wanted) {
        return held.contains("*") || held.containsAll(wanted);
    }

    private static boolean coversResource(List<String> held, String resource) {
        int slash = resource.indexOf('/');
        return held.contains("*")
                || held.contains(resource)
                || (slash >= 0 && held.contains("*" + resource.substring(slash)));
    }

    private static String describe(PolicyRule rule, List<String> verbs) {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        parts.put("APIGroups", rule.apiGroups());
        parts.put("Resources", rule.resources());
        parts.put("NonResourceURLs", rule.nonResourceUrls());
        parts.put("ResourceNames", rule.resourceNames());
        parts.put("Verbs", verbs);
        List<String> text = new ArrayList<>();
        parts.forEach((name, values) -> {
            if (!values.isEmpty()) {
                text.add(name + ":" + list(values));
            }
        });
        return "{" + String.join(", ", text) + "}";
    }

    /** As Go prints a slice of quoted strings. */
    static String list(List<String> texts) {
        return "[" + String.join(" ", texts.stream().map(Attributes::quoted).toList()) + "]";
    }
}

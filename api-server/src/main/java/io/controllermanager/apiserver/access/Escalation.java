package io.controllermanager.apiserver.access;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
        // Rights to resources by all but the verb, those to paths one by one.
        Map<Attributes, Set<String>> verbs = new LinkedHashMap<>();
        for (PolicyRule rule : given) {
            for (Attributes right : rights(rule)) {
                if (held.stream().noneMatch(having -> having.allows(right))) {
                    Attributes any = right.isResource() ? right.withVerb("") : right;
                    verbs.computeIfAbsent(any, key -> new LinkedHashSet<>()).add(right.verb());
                }
            }
        }
        Set<String> missing = new TreeSet<>();
        verbs.forEach((right, all) -> missing.add("{" + describe(right) + ", Verbs:" + list(all) + "}"));
        return missing;
    }

    /** What a rule gives, one by one: a verb and a resource, with at most one name, or a verb and a path. */
    private static List<Attributes> rights(PolicyRule rule) {
        List<String> names = rule.resourceNames().isEmpty() ? List.of("") : rule.resourceNames();
        List<Attributes> rights = new ArrayList<>();
        for (String verb : rule.verbs()) {
            for (String group : rule.apiGroups()) {
                for (String resource : rule.resources()) {
                    names.forEach(name -> rights.add(right(verb, group, resource, name, "")));
                }
            }
            rule.nonResourceUrls().forEach(path -> rights.add(right(verb, "", "", "", path)));
        }
        return rights;
    }

    private static Attributes right(String verb, String group, String resource, String name, String path) {
        String[] parts = resource.split("/", 2);
        // Rules are the same for all users.
        return new Attributes(User.ANONYMOUS, verb, group, parts[0], parts.length > 1 ? parts[1] : "", "", name, path);
    }

    private static String describe(Attributes right) {
        if (!right.isResource()) {
            return "NonResourceURLs:" + list(List.of(right.path()));
        }
        return "APIGroups:" + list(List.of(right.group())) + ", Resources:" + list(List.of(right.combinedResource()))
                + (right.name().isEmpty() ? "" : ", ResourceNames:" + list(List.of(right.name())));
    }

    /** As Go prints a slice of quoted strings. */
    static String list(Collection<String> texts) {
        return "[" + String.join(" ", texts.stream().map(Attributes::quoted).toList()) + "]";
    }
}

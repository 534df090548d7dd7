package io.controllermanager.controller;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** RBAC rules: made, and put together so that nothing is said twice. */
public final class PolicyRules {

    /** The order in which the Kubernetes documentation names them. */
    private static final List<String> VERBS =
            List.of("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection");

    private static final Comparator<String> IN_ORDER = Comparator.<String>comparingInt(
                    verb -> VERBS.contains(verb) ? VERBS.indexOf(verb) : VERBS.size())
            .thenComparing(Comparator.naturalOrder());

    private PolicyRules() {}

    /** What the rules of one resource say. */
    private record Resource(String group, String name) {}

    /** Allows the verbs for the objects of a type. */
    public static V1PolicyRule of(ResourceType<?> type, String... verbs) {
        return rule(type.group(), List.of(type.plural()), List.of(verbs));
    }

    /** Allows the verbs for a subresource of a type, such as {@code status}. */
    public static V1PolicyRule ofSubresource(ResourceType<?> type, String subresource, String... verbs) {
        return rule(type.group(), List.of(type.plural() + "/" + subresource), List.of(verbs));
    }

    /** The same rights in as few rules as can be read well: one for all resources of a group that have the same verbs. */
    public static List<V1PolicyRule> merged(List<V1PolicyRule> rules) {
        Map<Resource, Set<String>> verbs = new LinkedHashMap<>();
        List<V1PolicyRule> others = new ArrayList<>();
        for (V1PolicyRule rule : rules) {
            if (!isEmpty(rule.getResourceNames()) || !isEmpty(rule.getNonResourceURLs())) {
                others.add(rule);
                continue;
            }
            for (String group : rule.getApiGroups()) {
                for (String resource : rule.getResources()) {
                    verbs.computeIfAbsent(new Resource(group, resource), key -> new TreeSet<>(IN_ORDER))
                            .addAll(rule.getVerbs());
                }
            }
        }
        Map<V1PolicyRule, List<String>> resources = new LinkedHashMap<>();
        verbs.forEach((resource, allowed) -> resources
                .computeIfAbsent(rule(resource.group(), List.of(), List.copyOf(allowed)), key -> new ArrayList<>())
                .add(resource.name()));
        List<V1PolicyRule> merged = new ArrayList<>();
        resources.forEach((key, names) -> merged.add(rule(key.getApiGroups().get(0), names, key.getVerbs())));
        merged.addAll(others);
        return merged;
    }

    private static V1PolicyRule rule(String group, List<String> resources, List<String> verbs) {
        return new V1PolicyRule().apiGroups(List.of(group)).resources(resources).verbs(verbs);
    }

    private static boolean isEmpty(List<String> list) {
        return list == null || list.isEmpty();
    }
}

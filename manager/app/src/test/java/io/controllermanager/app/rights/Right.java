package io.controllermanager.app.rights;

import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The smallest thing that RBAC grants: one verb on one resource.
 *
 * @param namespace where; empty for all namespaces and for what lies in none
 * @param group the API group, empty for the core one
 * @param resource its plural, with a slash and the subresource if there is one
 * @param verb such as {@code patch}
 * @param name of the one object that it is for; empty for all
 */
record Right(String namespace, String group, String resource, String verb, String name) implements Comparable<Right> {

    /** All that a rule of a role grants. */
    static List<Right> of(V1PolicyRule rule, String namespace) {
        List<Right> rights = new ArrayList<>();
        for (String group : Objects.requireNonNull(rule.getApiGroups(), "apiGroups")) {
            for (String resource : Objects.requireNonNull(rule.getResources(), "resources")) {
                for (String verb : rule.getVerbs()) {
                    for (String name : names(rule)) {
                        rights.add(new Right(namespace, group, resource, verb, name));
                    }
                }
            }
        }
        return rights;
    }

    private static List<String> names(V1PolicyRule rule) {
        List<String> names = rule.getResourceNames();
        return names == null || names.isEmpty() ? List.of("") : names;
    }

    /** The rule that grants this and nothing else. */
    V1PolicyRule rule() {
        return new V1PolicyRule()
                .apiGroups(List.of(group))
                .resources(List.of(resource))
                .verbs(List.of(verb))
                .resourceNames(name.isEmpty() ? null : List.of(name));
    }

    /** Whether whoever has this may do what needs the other. */
    boolean covers(Right needed) {
        return (namespace.isEmpty() || namespace.equals(needed.namespace))
                && group.equals(needed.group)
                && resource.equals(needed.resource)
                && verb.equals(needed.verb)
                && (name.isEmpty() || name.equals(needed.name));
    }

    /** Verb and resource alone, such as {@code patch foos/status}. */
    String what() {
        return verb + " " + resource;
    }

    @Override
    public int compareTo(Right other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
        return Stream.of(
                        what(),
                        group.isEmpty() ? "" : "of " + group,
                        name.isEmpty() ? "" : "called " + name,
                        namespace.isEmpty() ? "" : "in " + namespace)
                .filter(part -> !part.isEmpty())
                .reduce((one, other) -> one + " " + other)
                .orElseThrow();
    }
}

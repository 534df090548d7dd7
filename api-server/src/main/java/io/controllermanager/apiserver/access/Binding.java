package io.controllermanager.apiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.storage.Key;
import java.util.ArrayList;
import java.util.List;

/**
 * A RoleBinding or ClusterRoleBinding.
 *
 * @param namespace empty for a ClusterRoleBinding
 * @param role where the role is; its resource is empty if there is no such kind of roles
 */
record Binding(String namespace, List<Subject> subjects, Key role) {

    /**
     * To whom a binding applies.
     *
     * @param kind {@code User}, {@code Group} or {@code ServiceAccount}
     * @param namespace a service account's; empty for the binding's own
     */
    record Subject(String kind, String name, String namespace) {

        boolean appliesTo(User user, String bindingNamespace) {
            return switch (kind) {
                case "User" -> user.name().equals(name);
                case "Group" -> user.groups().contains(name);
                case "ServiceAccount" -> {
                    String home = namespace.isEmpty() ? bindingNamespace : namespace;
                    yield !home.isEmpty() && user.name().equals(User.ofServiceAccount(home, name));
                }
                default -> false;
            };
        }
    }

    static Binding of(JsonNode binding, String namespace) {
        List<Subject> subjects = new ArrayList<>();
        for (JsonNode subject : binding.path("subjects")) {
            String home = subject.path("namespace").asText("");
            subjects.add(new Subject(
                    subject.path("kind").asText(), subject.path("name").asText(), home));
        }
        String name = binding.path("roleRef").path("name").asText();
        Key role = switch (binding.path("roleRef").path("kind").asText()) {
            case "Role" -> new Key(Rbac.ROLES, namespace, name);
            case "ClusterRole" -> new Key(Rbac.CLUSTER_ROLES, "", name);
            default -> new Key("", "", name);
        };
        return new Binding(namespace, List.copyOf(subjects), role);
    }

    boolean appliesTo(User user) {
        return subjects.stream().anyMatch(subject -> subject.appliesTo(user, namespace));
    }
}

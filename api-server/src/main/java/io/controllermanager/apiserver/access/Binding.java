package io.controllermanager.apiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.storage.Key;
import java.util.List;

/**
 * A RoleBinding or ClusterRoleBinding.
 *
 * @param namespace empty for a ClusterRoleBinding
 * @param subjects to whom it applies: users, groups and service accounts
 * @param role where the role is; its resource is empty if there is no such kind of roles
 */
record Binding(String namespace, List<JsonNode> subjects, Key role) {

    static Binding of(JsonNode binding, String namespace) {
        String name = binding.path("roleRef").path("name").asText();
        Key role = switch (binding.path("roleRef").path("kind").asText()) {
            case "Role" -> new Key(Rbac.ROLES, namespace, name);
            case "ClusterRole" -> new Key(Rbac.CLUSTER_ROLES, "", name);
            default -> new Key("", "", name);
        };
        return new Binding(namespace, Json.list(binding.path("subjects")), role);
    }

    boolean appliesTo(User user) {
        return subjects.stream().anyMatch(subject -> appliesTo(subject, user));
    }

    private boolean appliesTo(JsonNode subject, User user) {
        String name = subject.path("name").asText();
        return switch (subject.path("kind").asText()) {
            case "User" -> user.name().equals(name);
            case "Group" -> user.groups().contains(name);
            case "ServiceAccount" -> {
                String given = subject.path("namespace").asText("");
                String home = given.isEmpty() ? namespace : given;
                yield !home.isEmpty() && user.name().equals(User.ofServiceAccount(home, name));
            }
            default -> false;
        };
    }
}

package io.controllermanager.apiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.rest.ResourceRequest;
import io.controllermanager.apiserver.storage.Key;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Somebody's writing of a role or a binding: it is refused if it gives more than he has, unless he has the right to {@code
 * escalate} roles or to {@code bind} this one (kubernetes, pkg/registry/rbac).
 */
record Grant(Rbac rbac, User user, ResourceRequest request) {

    /** What the garbage collector changes. */
    private static final List<String> COLLECTORS = List.of("ownerReferences", "finalizers", "managedFields");

    void check(@Nullable ObjectNode before, ObjectNode after) {
        if (before != null && withoutCollectors(before).equals(withoutCollectors(after))) {
            return;
        }
        if (request.type().plural().endsWith("bindings")) {
            checkBinding(after);
        } else {
            checkRole(before, after);
        }
    }

    private static ObjectNode withoutCollectors(ObjectNode object) {
        ObjectNode rest = object.deepCopy();
        Meta.of(rest).remove(COLLECTORS);
        return rest;
    }

    private void checkRole(@Nullable ObjectNode before, ObjectNode after) {
        if (may("escalate", request.type().plural(), request.name())) {
            return;
        }
        refuseMoreThanHeld(after, PolicyRule.ofRole(after));
        boolean aggregates = isAggregated(after) || (before != null && isAggregated(before));
        if (aggregates && !missing(Escalation.EVERYTHING).isEmpty()) {
            throw forbidden(after, "must have cluster-admin privileges to use the aggregationRule");
        }
    }

    private static boolean isAggregated(JsonNode role) {
        return !role.path("aggregationRule").path("clusterRoleSelectors").isEmpty();
    }

    private void checkBinding(ObjectNode after) {
        Key role = Binding.of(after, request.namespace()).role();
        String plural = role.resource().equals(Rbac.ROLES) ? "roles" : "clusterroles";
        if (may("bind", plural, role.name())) {
            return;
        }
        List<PolicyRule> rules = rbac.rules(role);
        if (rules == null) {
            String singular = plural.substring(0, plural.length() - 1);
            throw StatusException.notFound(singular + "." + Rbac.GROUP, role.name());
        }
        refuseMoreThanHeld(after, rules);
    }

    private boolean may(String verb, String plural, String name) {
        return rbac.decide(new Attributes(user, verb, Rbac.GROUP, plural, "", request.namespace(), name, ""))
                .allowed();
    }

    private Set<String> missing(List<PolicyRule> given) {
        return Escalation.missing(rbac.rulesOf(user, request.namespace()), given);
    }

    private void refuseMoreThanHeld(ObjectNode written, List<PolicyRule> given) {
        Set<String> missing = missing(given);
        if (!missing.isEmpty()) {
            String who = "user " + Attributes.quoted(user.name()) + " (groups=" + Escalation.list(user.groups()) + ")";
            String why = " is attempting to grant RBAC permissions not currently held:\n";
            throw forbidden(written, who + why + String.join("\n", missing));
        }
    }

    private StatusException forbidden(ObjectNode written, String why) {
        return StatusException.forbidden(request.type().groupResource(), Meta.name(written), why);
    }
}

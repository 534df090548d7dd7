package io.controllermanager.apiserver.access;

import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.rest.Commits;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rights that the Roles, ClusterRoles and their bindings give. Each is read once, after it was written, so that a
 * question costs what goes over the bindings of one namespace and those of the cluster, however many other objects there
 * are. For use by any thread.
 */
public final class Rbac implements Commits.Follower {

    static final String GROUP = "rbac.authorization.k8s.io";
    static final String ROLES = "roles." + GROUP;
    static final String CLUSTER_ROLES = "clusterroles." + GROUP;
    private static final Set<String> FOLLOWED =
            Set.of(ROLES, CLUSTER_ROLES, "rolebindings." + GROUP, "clusterrolebindings." + GROUP);

    /** Names of objects are part of refusals: a loop that asks for ever others must not fill the memory. */
    private static final int KEPT_REFUSALS = 1_000;

    private final Store store;
    private final Set<String> refusals = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Map<Key, List<PolicyRule>> roles = new ConcurrentHashMap<>();
    /** By namespace, ClusterRoleBindings under the empty one. */
    private final Map<String, Map<Key, Binding>> bindings = new ConcurrentHashMap<>();

    public Rbac(Store store) {
        this.store = store;
    }

    /** The answer. The reason of a refusal is which roles there are not that bindings name; it may be empty. */
    record Decision(boolean allowed, String reason) {}

    @Override
    public void follow(StoredObject object, boolean deleted) {
        if (FOLLOWED.contains(object.key().resource())) {
            read(object.key());
        }
    }

    /** Reads what is stored now: two writes may be followed in another order than they were made in. */
    private synchronized void read(Key key) {
        StoredObject now = store.get(key);
        if (key.resource().equals(ROLES) || key.resource().equals(CLUSTER_ROLES)) {
            roles.compute(key, (role, before) -> now == null ? null : PolicyRule.ofRole(now.tree()));
        } else {
            bindings.computeIfAbsent(key.namespace(), namespace -> new ConcurrentHashMap<>())
                    .compute(key, (it, before) -> now == null ? null : Binding.of(now.tree(), key.namespace()));
        }
    }

    /** Refuses what is not allowed, with 403. */
    void require(Attributes wanted) {
        Decision decision = decide(wanted);
        if (!decision.allowed()) {
            StatusException refusal = wanted.forbidden(decision.reason());
            if (refusals.size() < KEPT_REFUSALS) {
                refusals.add(Objects.requireNonNull(refusal.getMessage()));
            }
            throw refusal;
        }
    }

    /** What was refused so far, each once, the first 1,000. */
    public List<String> refusals() {
        return List.copyOf(refusals);
    }

    Decision decide(Attributes wanted) {
        if (wanted.user().groups().contains(User.MASTERS)) {
            return new Decision(true, "");
        }
        Set<String> missing = new LinkedHashSet<>();
        for (Binding binding : bindings(wanted.user(), wanted.namespace())) {
            List<PolicyRule> rules = roles.get(binding.role());
            if (rules == null) {
                missing.add(missing(binding.role()));
            } else if (rules.stream().anyMatch(rule -> rule.allows(wanted))) {
                return new Decision(true, "");
            }
        }
        String all = String.join(", ", missing);
        String reason = missing.size() > 1 ? "[" + all + "]" : all;
        return new Decision(false, reason.isEmpty() ? "" : "RBAC: " + reason);
    }

    /** What a role's rules are; null if there is no such role. */
    @Nullable
    List<PolicyRule> rules(Key role) {
        return roles.get(role);
    }

    /** All that a user may do in a namespace, or outside of namespaces for an empty one. */
    List<PolicyRule> rulesOf(User user, String namespace) {
        return bindings(user, namespace).stream()
                .flatMap(binding -> roles.getOrDefault(binding.role(), List.of()).stream())
                .toList();
    }

    private static String missing(Key role) {
        return (role.resource().equals(ROLES) ? "role." : "clusterrole.") + GROUP + " " + Attributes.quoted(role.name())
                + " not found";
    }

    private List<Binding> bindings(User user, String namespace) {
        return Stream.of("", namespace)
                .distinct()
                .flatMap(scope -> bindings.getOrDefault(scope, Map.of()).values().stream())
                .filter(binding -> binding.appliesTo(user))
                .toList();
    }
}

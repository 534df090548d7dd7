package io.controllermanager.app.rights;

import io.controllermanager.app.install.Chart.Rendered;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What was rendered, on an API server: the service account, and what binds rights to it, each of which can be taken away
 * for a while. A role of Kubernetes' own that is bound is replaced by a copy for this purpose. For one thread.
 */
final class Release implements AutoCloseable {

    private final TestCluster cluster;
    private final Rendered rendered;
    private final String namespace;
    private final RbacAuthorizationV1Api rbac;
    private final Map<Right, Grant> grants = new TreeMap<>();
    private final Set<Right> removed = new HashSet<>();
    private final List<String> clusterRoles = new ArrayList<>();

    /** A role that grants something; without a namespace for a ClusterRole. */
    private record Grant(String namespace, String role) {}

    private Release(TestCluster cluster, Rendered rendered, String namespace) {
        this.cluster = cluster;
        this.rendered = rendered;
        this.namespace = namespace;
        this.rbac = new RbacAuthorizationV1Api(cluster.admin());
    }

    /** Creates all but the Deployment, whose pods a test runs. */
    static Release install(TestCluster cluster, Rendered rendered, String namespace) throws ApiException {
        Release release = new Release(cluster, rendered, namespace);
        for (V1ServiceAccount account : rendered.all(V1ServiceAccount.class)) {
            new CoreV1Api(cluster.admin())
                    .createNamespacedServiceAccount(namespace, account)
                    .execute();
        }
        for (V1ClusterRoleBinding binding : rendered.all(V1ClusterRoleBinding.class)) {
            release.bind("", binding.getMetadata(), binding.getRoleRef(), binding.getSubjects());
        }
        for (V1RoleBinding binding : rendered.all(V1RoleBinding.class)) {
            release.bind(
                    binding.getMetadata().getNamespace(),
                    binding.getMetadata(),
                    binding.getRoleRef(),
                    binding.getSubjects());
        }
        return release;
    }

    private void bind(String where, V1ObjectMeta metadata, V1RoleRef role, List<RbacV1Subject> subjects)
            throws ApiException {
        if (subjects.stream()
                .noneMatch(subject -> subject.getName().equals(pod().getSpec().getServiceAccountName()))) {
            return;
        }
        String name = metadata.getName();
        Grant grant = new Grant(where, name);
        V1ObjectMeta named = new V1ObjectMeta().name(name);
        V1RoleRef reference =
                new V1RoleRef().apiGroup("rbac.authorization.k8s.io").name(name);
        List<V1PolicyRule> rules = rules(where, role);
        if (where.isEmpty()) {
            clusterRoles.add(name);
            rbac.createClusterRole(new V1ClusterRole().metadata(named).rules(rules))
                    .execute();
            rbac.createClusterRoleBinding(new V1ClusterRoleBinding()
                            .metadata(named)
                            .roleRef(reference.kind("ClusterRole"))
                            .subjects(subjects))
                    .execute();
        } else {
            rbac.createNamespacedRole(where, new V1Role().metadata(named).rules(rules))
                    .execute();
            rbac.createNamespacedRoleBinding(
                            where,
                            new V1RoleBinding()
                                    .metadata(named)
                                    .roleRef(reference.kind("Role"))
                                    .subjects(subjects))
                    .execute();
        }
        for (V1PolicyRule rule : rules) {
            for (Right right : Right.of(rule, where)) {
                if (grants.put(right, grant) != null) {
                    throw new AssertionError("granted twice: " + right);
                }
            }
        }
    }

    private List<V1PolicyRule> rules(String where, V1RoleRef role) throws ApiException {
        if (role.getKind().equals("Role")) {
            return rendered.all(V1Role.class).stream()
                    .filter(each -> each.getMetadata().getName().equals(role.getName())
                            && where.equals(each.getMetadata().getNamespace()))
                    .findAny()
                    .orElseThrow(() -> new AssertionError("no Role " + role.getName()))
                    .getRules();
        }
        for (V1ClusterRole each : rendered.all(V1ClusterRole.class)) {
            if (each.getMetadata().getName().equals(role.getName())) {
                return each.getRules();
            }
        }
        return rbac.readClusterRole(role.getName()).execute().getRules();
    }

    V1PodTemplateSpec pod() {
        return rendered.one(V1Deployment.class).getSpec().getTemplate();
    }

    String namespace() {
        return namespace;
    }

    /** As whom the API server knows its pods. */
    String user() {
        return "system:serviceaccount:" + namespace + ":" + pod().getSpec().getServiceAccountName();
    }

    /** Whether whoever asks the pods for metrics has to say who that is. */
    boolean authenticates() {
        return granted().stream().anyMatch(right -> right.resource().equals("tokenreviews"));
    }

    /** All that was granted, in a fixed order. */
    List<Right> granted() {
        return List.copyOf(grants.keySet());
    }

    /** Takes rights away, and waits until the API server knows. */
    void remove(Collection<Right> rights) throws ApiException {
        removed.addAll(rights);
        write(rights);
        for (Right right : rights) {
            cluster.awaitAllowed(user(), right, namespace, false);
        }
    }

    /** Gives them back. */
    void restore(Collection<Right> rights) throws ApiException {
        removed.removeAll(rights);
        write(rights);
        for (Right right : rights) {
            cluster.awaitAllowed(user(), right, namespace, true);
        }
    }

    /** Brings the roles that grant these in line with what is granted now. */
    private void write(Collection<Right> rights) throws ApiException {
        Set<Grant> changed =
                rights.stream().map(grants::get).map(Objects::requireNonNull).collect(Collectors.toSet());
        for (Grant grant : changed) {
            write(grant);
        }
    }

    private void write(Grant grant) throws ApiException {
        List<V1PolicyRule> rules = grants.entrySet().stream()
                .filter(each -> each.getValue().equals(grant) && !removed.contains(each.getKey()))
                .map(each -> each.getKey().rule())
                .toList();
        V1ObjectMeta metadata = new V1ObjectMeta().name(grant.role());
        if (grant.namespace().isEmpty()) {
            rbac.replaceClusterRole(
                            grant.role(), new V1ClusterRole().metadata(metadata).rules(rules))
                    .execute();
        } else {
            rbac.replaceNamespacedRole(
                            grant.role(),
                            grant.namespace(),
                            new V1Role().metadata(metadata).rules(rules))
                    .execute();
        }
    }

    /** Removes what is in no namespace. */
    @Override
    public void close() throws ApiException {
        for (String name : clusterRoles) {
            rbac.deleteClusterRoleBinding(name).execute();
            rbac.deleteClusterRole(name).execute();
        }
    }
}

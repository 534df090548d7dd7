package io.controllermanager.app.rights;

import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthenticationV1Api;
import io.kubernetes.client.openapi.apis.AuthorizationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1SubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.openapi.models.V1TokenReview;
import io.kubernetes.client.openapi.models.V1TokenReviewSpec;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A control plane as its administrator sees it, where whoever makes an object that blocks its owner's deletion must be
 * allowed to set that one's finalizers.
 *
 * @param plane the processes
 * @param admin a client that RBAC does not bind
 */
record TestCluster(ControlPlane plane, ApiClient admin) implements AutoCloseable {

    private static final Pattern AUTHORITY = Pattern.compile("certificate-authority-data: *\"?([A-Za-z0-9+/=]+)");

    static TestCluster start() throws IOException {
        return of(ControlPlane.builder()
                .apiServerFlag("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
                .start());
    }

    /** One that runs with that admission plugin already. */
    static TestCluster of(ControlPlane plane) throws IOException {
        return new TestCluster(plane, Config.fromConfig(plane.kubeconfigFile().toString()));
    }

    /** The API server's certificate authority, as PEM. */
    String authority() {
        Matcher matcher = AUTHORITY.matcher(plane.kubeconfig());
        if (!matcher.find()) {
            throw new AssertionError("no authority in the kubeconfig");
        }
        return new String(Base64.getDecoder().decode(matcher.group(1)), StandardCharsets.UTF_8);
    }

    /** A new namespace, where only pods may be made that the restricted Pod Security Standard allows. */
    String createNamespace(String prefix) throws ApiException {
        String name = prefix + "-" + UUID.randomUUID().toString().substring(0, 8);
        createNamespaceCalled(name);
        return name;
    }

    /** The same, where it is known how it is called. */
    void createNamespaceCalled(String name) throws ApiException {
        new CoreV1Api(admin)
                .createNamespace(new V1Namespace()
                        .metadata(new V1ObjectMeta()
                                .name(name)
                                .labels(Map.of("pod-security.kubernetes.io/enforce", "restricted"))))
                .execute();
    }

    /** A token of a service account that is made if it is not there, never the same twice. */
    String token(String namespace, String serviceAccount) throws ApiException {
        CoreV1Api core = new CoreV1Api(admin);
        try {
            core.createNamespacedServiceAccount(
                            namespace, new V1ServiceAccount().metadata(new V1ObjectMeta().name(serviceAccount)))
                    .execute();
        } catch (ApiException e) {
            if (e.getCode() != 409) {
                throw e;
            }
        }
        return core.createNamespacedServiceAccountToken(
                        serviceAccount,
                        namespace,
                        new AuthenticationV1TokenRequest().spec(new V1TokenRequestSpec().audiences(List.of())))
                .execute()
                .getStatus()
                .getToken();
    }

    /** Lets a user do something in the whole cluster. */
    void allow(String name, List<V1PolicyRule> rules, String user) throws ApiException {
        RbacAuthorizationV1Api rbac = new RbacAuthorizationV1Api(admin);
        V1ObjectMeta metadata = new V1ObjectMeta().name(name);
        rbac.createClusterRole(new V1ClusterRole().metadata(metadata).rules(rules))
                .execute();
        rbac.createClusterRoleBinding(new V1ClusterRoleBinding()
                        .metadata(metadata)
                        .roleRef(new V1RoleRef()
                                .apiGroup("rbac.authorization.k8s.io")
                                .kind("ClusterRole")
                                .name(name))
                        .subjects(List.of(new RbacV1Subject()
                                .apiGroup("rbac.authorization.k8s.io")
                                .kind("User")
                                .name(user))))
                .execute();
    }

    /** Waits until a change of RBAC's objects has had its effect. */
    void awaitAllowed(String user, Right right, String someNamespace, boolean allowed) {
        int slash = right.resource().indexOf('/');
        V1ResourceAttributes attributes = new V1ResourceAttributes()
                .namespace(right.namespace().isEmpty() ? someNamespace : right.namespace())
                .group(right.group())
                .resource(slash < 0 ? right.resource() : right.resource().substring(0, slash))
                .subresource(slash < 0 ? null : right.resource().substring(slash + 1))
                .verb(right.verb())
                .name(right.name());
        V1SubjectAccessReview question = new V1SubjectAccessReview()
                .spec(new V1SubjectAccessReviewSpec()
                        .user(user)
                        .groups(List.of("system:serviceaccounts", "system:authenticated"))
                        .resourceAttributes(attributes));
        await(user + (allowed ? " may " : " may not, or was allowed to twice: ") + right)
                .until(() -> new AuthorizationV1Api(admin)
                                .createSubjectAccessReview(question)
                                .execute()
                                .getStatus()
                                .getAllowed()
                        == allowed);
    }

    /** Whether whoever has this token is known. */
    boolean knows(String token) throws ApiException {
        return Boolean.TRUE.equals(new AuthenticationV1Api(admin)
                .createTokenReview(new V1TokenReview().spec(new V1TokenReviewSpec().token(token)))
                .execute()
                .getStatus()
                .getAuthenticated());
    }

    @Override
    public void close() {
        plane.close();
    }
}

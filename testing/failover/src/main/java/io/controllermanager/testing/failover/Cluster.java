package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import okhttp3.OkHttpClient;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A control plane that knows Foos and grants replicas what {@code config/rbac} does, as an administrator sees it. */
final class Cluster implements AutoCloseable {

    private static final String RBAC = "rbac.authorization.k8s.io";

    private final ControlPlane plane;
    private final ApiClient client;

    private Cluster(ControlPlane plane, ApiClient client) {
        this.plane = plane;
        this.client = client;
    }

    /**
     * Starts it.
     *
     * @param config the project's folder {@code config}
     * @param directory for a file of its own
     */
    static Cluster start(Path config, Path directory) throws IOException, ApiException {
        Path policy = Files.writeString(directory.resolve("audit-policy.yaml"), AuditEvent.policy());
        Object crd = new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions()))
                .load(Files.readString(config.resolve("crd/bases/samplecontroller.k8s.io_foos.yaml")));
        ControlPlane plane = ControlPlane.builder()
                .crd(new Gson().toJson(crd))
                .apiServerFlag("audit-policy-file", policy.toString())
                .start();
        try {
            ApiClient client = Config.fromConfig(plane.kubeconfigFile().toString());
            // After an outage the first answer is to come at once, or not at all.
            client.setHttpClient(new OkHttpClient.Builder(client.getHttpClient())
                    .callTimeout(Duration.ofSeconds(10))
                    .build());
            Cluster cluster = new Cluster(plane, client);
            cluster.grant(config.resolve("rbac"));
            return cluster;
        } catch (RuntimeException | IOException | ApiException e) {
            plane.close();
            throw e;
        }
    }

    private void grant(Path rbac) throws IOException, ApiException {
        new CoreV1Api(client)
                .createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name(Launch.NAMESPACE)))
                .execute();
        V1ClusterRole clusterRole = Yaml.loadAs(rbac.resolve("role.yaml").toFile(), V1ClusterRole.class);
        V1Role role = Yaml.loadAs(rbac.resolve("leader_election_role.yaml").toFile(), V1Role.class);
        RbacV1Subject replicas =
                new RbacV1Subject().kind("Group").apiGroup(RBAC).name(Launch.GROUP);
        RbacAuthorizationV1Api api = new RbacAuthorizationV1Api(client);
        api.createClusterRole(clusterRole).execute();
        api.createClusterRoleBinding(new V1ClusterRoleBinding()
                        .metadata(new V1ObjectMeta().name(Launch.GROUP))
                        .roleRef(new V1RoleRef()
                                .apiGroup(RBAC)
                                .kind("ClusterRole")
                                .name(clusterRole.getMetadata().getName()))
                        .addSubjectsItem(replicas))
                .execute();
        api.createNamespacedRole(Launch.NAMESPACE, role).execute();
        api.createNamespacedRoleBinding(
                        Launch.NAMESPACE,
                        new V1RoleBinding()
                                .metadata(new V1ObjectMeta().name(Launch.GROUP))
                                .roleRef(new V1RoleRef()
                                        .apiGroup(RBAC)
                                        .kind("Role")
                                        .name(role.getMetadata().getName()))
                                .addSubjectsItem(replicas))
                .execute();
    }

    ControlPlane plane() {
        return plane;
    }

    ApiClient client() {
        return client;
    }

    /** The identity that the Lease names, empty if there is none or the API server does not answer. */
    String holder() {
        try {
            return Objects.requireNonNullElse(
                    Objects.requireNonNull(lease().getSpec()).getHolderIdentity(), "");
        } catch (ApiException e) {
            return "";
        }
    }

    private V1Lease lease() throws ApiException {
        return new CoordinationV1Api(client)
                .readNamespacedLease(Launch.LEASE, Launch.NAMESPACE)
                .execute();
    }

    /** Deletes the Lease by hand. */
    void deleteLease() {
        await("the Lease is deleted")
                .until(() -> succeeds(
                        HttpURLConnection.HTTP_NOT_FOUND,
                        () -> new CoordinationV1Api(client)
                                .deleteNamespacedLease(Launch.LEASE, Launch.NAMESPACE)
                                .execute()));
    }

    /** Changes the Lease by hand, once more if nobody knows whether that was done. */
    void editLease(Consumer<V1Lease> edit) {
        await("the Lease is edited")
                .until(() -> succeeds(HttpURLConnection.HTTP_OK, () -> {
                    V1Lease lease = lease();
                    edit.accept(lease);
                    new CoordinationV1Api(client)
                            .replaceNamespacedLease(Launch.LEASE, Launch.NAMESPACE, lease)
                            .execute();
                }));
    }

    /** What is asked of the API server. */
    private interface Request {
        void send() throws ApiException;
    }

    /** Whether it is done, or answered with the code that says as much; false if it is to be sent again. */
    private static boolean succeeds(int asGood, Request request) throws ApiException {
        try {
            request.send();
            return true;
        } catch (ApiException e) {
            if (e.getCode() == asGood) {
                return true;
            }
            boolean passes = e.getCode() == 0 || e.getCode() == 409 || e.getCode() == 429 || e.getCode() >= 500;
            if (passes) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        plane.close();
    }
}

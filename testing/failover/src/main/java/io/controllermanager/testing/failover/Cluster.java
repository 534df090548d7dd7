package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.ControlPlaneBuilder;
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
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import okhttp3.OkHttpClient;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A control plane that knows Foos and grants replicas what {@code config/rbac} does, as an administrator sees it. */
final class Cluster implements AutoCloseable {

    private static final String FEATURE_GATES = "feature-gates";
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
     * @param work if it is spread, there are two API servers, of which one filters by shards
     * @param crds the files of further types
     */
    static Cluster start(Path config, Path directory, Work work, Path... crds) throws IOException, ApiException {
        Path policy = Files.writeString(directory.resolve("audit-policy.yaml"), AuditEvent.policy());
        ControlPlaneBuilder builder = ControlPlane.builder()
                .crd(crd(config.resolve("crd/bases/samplecontroller.k8s.io_foos.yaml")))
                .apiServerFlag("audit-policy-file", policy.toString());
        for (Path further : crds) {
            builder.crd(crd(further));
        }
        if (work.spread()) {
            builder.apiServerFlag(FEATURE_GATES, "ShardedListAndWatch=true")
                    .furtherApiServer(Map.of(FEATURE_GATES, "ShardedListAndWatch=false"));
        }
        ControlPlane plane = builder.start();
        try {
            ApiClient client = Config.fromConfig(plane.kubeconfigFile().toString());
            // After an outage the first answer is to come at once, or not at all.
            client.setHttpClient(new OkHttpClient.Builder(client.getHttpClient())
                    .callTimeout(Duration.ofSeconds(10))
                    .build());
            Cluster cluster = new Cluster(plane, client);
            cluster.createNamespace(Launch.NAMESPACE);
            cluster.grant(config.resolve("rbac"), work);
            if (work.spread()) {
                for (String namespace : work.namespaceNames()) {
                    cluster.createNamespace(namespace);
                }
            }
            return cluster;
        } catch (RuntimeException | IOException | ApiException e) {
            plane.close();
            throw e;
        }
    }

    private static String crd(Path file) throws IOException {
        return new Gson()
                .toJson(new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions()))
                        .<Object>load(Files.readString(file)));
    }

    private void createNamespace(String name) throws ApiException {
        new CoreV1Api(client)
                .createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name(name)))
                .execute();
    }

    private void grant(Path rbac, Work work) throws IOException, ApiException {
        V1ClusterRole clusterRole = Yaml.loadAs(rbac.resolve("role.yaml").toFile(), V1ClusterRole.class);
        V1Role role = Yaml.loadAs(rbac.resolve("leader_election_role.yaml").toFile(), V1Role.class);
        if (work.shards() > 1) {
            // As the file says of shards.
            role.getRules()
                    .forEach(rule ->
                            rule.resourceNames(null).verbs(List.of("create", "get", "list", "update", "watch")));
        }
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

    /** The identity that a Lease names, empty if there is none or the API server does not answer. */
    String holder(String lease) {
        return holders().getOrDefault(lease, "");
    }

    /** The identities that Leases name, by the names of Leases; empty where there is none. */
    Map<String, String> holders() {
        Map<String, String> holders = new HashMap<>();
        try {
            for (V1Lease lease : new CoordinationV1Api(client)
                    .listNamespacedLease(Launch.NAMESPACE)
                    .execute()
                    .getItems()) {
                holders.put(
                        lease.getMetadata().getName(),
                        Objects.requireNonNullElse(
                                Objects.requireNonNull(lease.getSpec()).getHolderIdentity(), ""));
            }
        } catch (ApiException e) {
            // Nobody knows.
            holders.clear();
        }
        return holders;
    }

    /** Deletes a Lease by hand. */
    void deleteLease(String name) {
        await("the Lease is deleted")
                .until(() -> succeeds(
                        HttpURLConnection.HTTP_NOT_FOUND,
                        () -> new CoordinationV1Api(client)
                                .deleteNamespacedLease(name, Launch.NAMESPACE)
                                .execute()));
    }

    /** Changes a Lease by hand, once more if nobody knows whether that was done. */
    void editLease(String name, Consumer<V1Lease> edit) {
        await("the Lease is edited")
                .until(() -> succeeds(HttpURLConnection.HTTP_OK, () -> {
                    CoordinationV1Api api = new CoordinationV1Api(client);
                    V1Lease lease =
                            api.readNamespacedLease(name, Launch.NAMESPACE).execute();
                    edit.accept(lease);
                    api.replaceNamespacedLease(name, Launch.NAMESPACE, lease).execute();
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

    /** Writes the audit logs of all API servers to one file, compressed. */
    void keepAuditLogs(Path file) throws IOException {
        try (OutputStream kept = new GZIPOutputStream(Files.newOutputStream(file))) {
            for (Path log : plane.auditLogs()) {
                Files.copy(log, kept);
            }
        }
    }

    @Override
    public void close() {
        plane.close();
    }
}

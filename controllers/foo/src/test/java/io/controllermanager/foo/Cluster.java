package io.controllermanager.foo;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The API server as a user with kubectl sees it, and a client that keeps a list of its requests. */
final class Cluster {

    /** Where the repository's own manifests are. */
    static final Path CONFIG = Path.of("..", "..", "config");

    private final ApiServerUnderTest server;
    private final ApiClient user;
    private final ResourceClient<Foo> foos;
    private final ResourceClient<V1Deployment> deployments;
    private final ResourceClient<V1CustomResourceDefinition> crds;

    Cluster(ApiServerUnderTest server) {
        this.server = server;
        this.user = newClient(server.kubeconfig());
        this.foos = new ResourceClient<>(user, Foo.TYPE);
        this.deployments = new ResourceClient<>(user, ResourceTypes.DEPLOYMENT);
        this.crds = new ResourceClient<>(user, ResourceTypes.CUSTOM_RESOURCE_DEFINITION);
    }

    String createNamespace() {
        return server.createNamespace();
    }

    ApiServerUnderTest server() {
        return server;
    }

    ApiClient user() {
        return user;
    }

    ResourceClient<Foo> foos() {
        return foos;
    }

    ResourceClient<V1Deployment> deployments() {
        return deployments;
    }

    /** A client with a list to which each of its requests is added, such as {@code GET /api/v1/namespaces}. */
    ApiClient recordingClient(List<String> requests) {
        return recordingClient(server.kubeconfig(), requests);
    }

    /** As {@link #recordingClient(List)}, for another user; what is refused to him is marked as such. */
    ApiClient recordingClient(String kubeconfig, List<String> requests) {
        ApiClient client = newClient(kubeconfig);
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .addInterceptor(chain -> {
                    String line = chain.request().method() + " "
                            + chain.request().url().encodedPath();
                    requests.add(line);
                    Response response = chain.proceed(chain.request());
                    if (response.code() == 403) {
                        requests.add("forbidden: " + line);
                    }
                    return response;
                })
                .build());
        return client;
    }

    private static ApiClient newClient(String kubeconfig) {
        try {
            return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Applies a CRD for Foo, and waits until it is served just so. */
    void applyCrd(Map<String, Object> manifest) throws ApiException {
        crds.patch(null, "foos.samplecontroller.k8s.io", new Patch.Apply(new Gson().toJson(manifest), "test", true));
        boolean subresource = manifest.toString().contains("subresources={status={}}");
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            ApiDiscovery discovery = new ApiDiscovery(user, Clock.system());
            return discovery.isServed(Foo.TYPE) && discovery.hasStatusSubresource(Foo.TYPE) == subresource;
        });
        await().pollInterval(Duration.ofMillis(20))
                .ignoreExceptionsInstanceOf(ApiException.class)
                .until(() -> {
                    foos.list("default");
                    return true;
                });
    }

    /** Reads a manifest of one document. */
    static Map<String, Object> manifest(Path file) {
        try {
            return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Foo createFoo(String namespace, String name, @Nullable String deploymentName, @Nullable Integer replicas)
            throws ApiException {
        return foos.create(
                new Foo(new V1ObjectMeta().namespace(namespace).name(name), new FooSpec(deploymentName, replicas)));
    }

    Foo foo(String namespace, String name) throws ApiException {
        Foo foo = foos.get(namespace, name);
        if (foo == null) {
            throw new AssertionError("no Foo " + namespace + "/" + name);
        }
        return foo;
    }

    Foo patchFoo(String namespace, String name, String mergePatch) throws ApiException {
        return foos.patch(namespace, name, new Patch.Merge(mergePatch));
    }

    V1Deployment deployment(String namespace, String name) throws ApiException {
        V1Deployment deployment = deployments.get(namespace, name);
        if (deployment == null) {
            throw new AssertionError("no Deployment " + namespace + "/" + name);
        }
        return deployment;
    }

    V1Deployment patchDeployment(String namespace, String name, String mergePatch) throws ApiException {
        return deployments.patch(namespace, name, new Patch.Merge(mergePatch));
    }

    /** Plays the Deployment controller. */
    void setAvailableReplicas(String namespace, String name, int available) throws ApiException {
        deployments.patchStatus(
                namespace,
                name,
                new Patch.Merge("{\"status\":{\"replicas\":%d,\"readyReplicas\":%d,\"availableReplicas\":%d}}"
                        .formatted(available, available, available)));
    }

    /** A list that any thread may add to. */
    static <T> List<T> newList() {
        return new CopyOnWriteArrayList<>();
    }

    /** Gives the manager's service account what the repository's manifests give it. */
    void applyRbac() throws ApiException {
        new ResourceClient<V1ClusterRole>(user, ResourceTypes.CLUSTER_ROLE)
                .patch(null, "controller-manager", apply(CONFIG.resolve("rbac/role.yaml")));
        new ResourceClient<V1ClusterRoleBinding>(user, ResourceTypes.CLUSTER_ROLE_BINDING)
                .patch(null, "controller-manager", apply(CONFIG.resolve("rbac/role_binding.yaml")));
    }

    private static Patch apply(Path file) {
        return new Patch.Apply(new Gson().toJson(manifest(file)), "test", true);
    }
}

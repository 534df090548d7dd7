package io.controllermanager.network;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
    private final ResourceClient<Network> networks;
    private final ResourceClient<V1CustomResourceDefinition> crds;

    Cluster(ApiServerUnderTest server) {
        this.server = server;
        this.user = newClient(server.kubeconfig());
        this.networks = new ResourceClient<>(user, Network.TYPE);
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

    ResourceClient<Network> networks() {
        return networks;
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

    /** Applies the CRD for Network that the repository ships. */
    void applyCrd() throws ApiException {
        applyCrd(crd());
    }

    /** As {@link #applyCrd()}, without the rules that keep invalid Networks out: as an older CRD may be. */
    void applyPermissiveCrd() throws ApiException {
        Map<String, Object> crd = crd();
        removeRules(crd);
        applyCrd(crd);
    }

    private void applyCrd(Map<String, Object> crd) throws ApiException {
        crds.patch(null, "networks.sample.k8s.io", new Patch.Apply(new Gson().toJson(crd), "test", true));
        await().pollInterval(Duration.ofMillis(20))
                .ignoreExceptionsInstanceOf(ApiException.class)
                .until(() -> {
                    networks.list("default");
                    return true;
                });
    }

    static Map<String, Object> crd() {
        return manifest(CONFIG.resolve("crd/bases/sample.k8s.io_networks.yaml"));
    }

    private static void removeRules(Object node) {
        if (node instanceof Map<?, ?> map) {
            map.keySet().removeIf(key -> "x-kubernetes-validations".equals(key));
            removeRules(map.values());
        } else if (node instanceof Collection<?> collection) {
            collection.forEach(Cluster::removeRules);
        }
    }

    /** Reads a manifest of one document. */
    static Map<String, Object> manifest(Path file) {
        try {
            return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Network create(String namespace, String name, @Nullable String cidr, @Nullable String gateway) throws ApiException {
        return networks.create(
                new Network(new V1ObjectMeta().namespace(namespace).name(name), new NetworkSpec(cidr, gateway)));
    }

    Network patch(String namespace, String name, String mergePatch) throws ApiException {
        return networks.patch(namespace, name, new Patch.Merge(mergePatch));
    }

    NetworkStatus status(String namespace, String name) throws ApiException {
        Network network = networks.get(namespace, name);
        if (network == null || network.status() == null) {
            throw new AssertionError("no status in " + network);
        }
        return network.status();
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

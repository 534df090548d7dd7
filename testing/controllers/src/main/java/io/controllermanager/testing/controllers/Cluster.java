package io.controllermanager.testing.controllers;

import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.rights.DeclaredRights;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import okhttp3.Response;

/** An API server as a user with kubectl sees it, and clients that keep a list of their requests. */
public class Cluster {

    private final TestedServer server;
    private final ApiClient user;
    private final ResourceClient<V1CustomResourceDefinition> crds;

    public Cluster(TestedServer server) {
        this.server = server;
        this.user = newClient(server.kubeconfig());
        this.crds = new ResourceClient<>(user, ResourceTypes.CUSTOM_RESOURCE_DEFINITION);
    }

    /** A client whose user may do everything. */
    public final ApiClient user() {
        return user;
    }

    /** Makes a namespace that no one else uses; gives its name. */
    public final String createNamespace() {
        return server.createNamespace();
    }

    /**
     * A client whose user may do everything, with a list to which each of its requests is added, such as {@code GET
     * /api/v1/namespaces}.
     *
     * @param requests one to which any thread may add
     */
    public final ApiClient recordingClient(List<String> requests) {
        return recordingClient(server.kubeconfig(), requests);
    }

    /** As {@link #recordingClient(List)}, for another user; what is refused to him is added as {@code forbidden: ...} too. */
    public static ApiClient recordingClient(String kubeconfig, List<String> requests) {
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

    /**
     * Installs a CRD, and waits until it is served just so. Where another version of it is installed, that one goes first,
     * with all its objects: an API server that is told of a change goes by the old version for a while.
     */
    public final void installCrd(ResourceType<?> type, Manifest crd) throws ApiException {
        V1CustomResourceDefinition before = crds.get(null, type.qualifiedName());
        V1CustomResourceDefinition after = crds.patch(null, type.qualifiedName(), crd.apply());
        if (before != null && !generation(before).equals(generation(after))) {
            deleteCrd(type);
            after = crds.patch(null, type.qualifiedName(), crd.apply());
        }
        awaitServed(type, after);
    }

    /** Changes a CRD whose objects are to stay, and waits until discovery says so: the rest may follow later. */
    public final void changeCrd(ResourceType<?> type, Manifest crd) throws ApiException {
        awaitServed(type, crds.patch(null, type.qualifiedName(), crd.apply()));
    }

    private static Long generation(V1CustomResourceDefinition crd) {
        return Objects.requireNonNull(crd.getMetadata().getGeneration());
    }

    private void deleteCrd(ResourceType<?> type) throws ApiException {
        // It may take a moment until the change just made is served.
        await().ignoreExceptionsInstanceOf(ApiException.class).until(() -> releaseObjects(type));
        crds.delete(null, type.qualifiedName());
        await().until(() -> crds.get(null, type.qualifiedName()) == null);
        await().until(() -> !isListed(type));
    }

    /** Takes the finalizers away that tests left: they would hold up the deletion. */
    private <T extends KubernetesObject> boolean releaseObjects(ResourceType<T> type) throws ApiException {
        ResourceClient<T> objects = new ResourceClient<>(user, type);
        for (T object : objects.list(null)) {
            List<String> finalizers = object.getMetadata().getFinalizers();
            if (finalizers != null && !finalizers.isEmpty()) {
                objects.patch(
                        object.getMetadata().getNamespace(),
                        object.getMetadata().getName(),
                        new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));
            }
        }
        return true;
    }

    private void awaitServed(ResourceType<?> type, V1CustomResourceDefinition crd) {
        boolean subresource = crd.getSpec().getVersions().stream()
                .filter(version -> version.getName().equals(type.version()))
                .anyMatch(version -> version.getSubresources() != null
                        && version.getSubresources().getStatus() != null);
        await().until(() -> {
            ApiDiscovery discovery = new ApiDiscovery(user, Clock.system());
            return discovery.isServed(type) && discovery.hasStatusSubresource(type) == subresource;
        });
        await().until(() -> isListed(type));
    }

    private boolean isListed(ResourceType<?> type) {
        try {
            new ResourceClient<>(user, type).list("default");
            return true;
        } catch (ApiException e) {
            return false;
        }
    }

    /** The Events about the objects of this name in a namespace. */
    public final List<EventsV1Event> events(String namespace, String name) throws ApiException {
        return new ResourceClient<EventsV1Event>(user, ResourceTypes.EVENT)
                .list(namespace).stream()
                        .filter(event -> name.equals(event.getRegarding().getName()))
                        .toList();
    }

    /** Gives the manager's service account what one controller declares that it needs; no other controller's rights. */
    public final void grantRightsOf(String controller) throws ApiException {
        DeclaredRights.of(controller)
                .grantTo("system:serviceaccount:controller-manager-system:controller-manager", user);
    }
}

package io.controllermanager.client;

import com.google.gson.TypeAdapter;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1APIResource;
import io.kubernetes.client.openapi.models.V1APIResourceList;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the API server serves. Answers are remembered for half a minute, since types come and go with their CRDs. Safe for
 * use by several threads.
 */
public final class ApiDiscovery {

    private static final Duration REMEMBERED = Duration.ofSeconds(30);

    private final ApiRequests requests;
    private final Clock clock;
    private final TypeAdapter<V1APIResourceList> adapter = ApiJson.adapter(V1APIResourceList.class);
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    /**
     * What one group and version had to offer.
     *
     * @param resources names in URLs, subresources as {@code foos/status}; empty if the group or version is not served
     * @param at the monotonic time when the question was sent
     */
    private record Answer(Set<String> resources, long at) {}

    /** Asks through the client. */
    public ApiDiscovery(ApiClient client, Clock clock) {
        this.requests = new ApiRequests(client);
        this.clock = clock;
    }

    /**
     * Whether the type is served in its version.
     *
     * @throws ApiException if the API server cannot say
     */
    public boolean isServed(ResourceType<?> type) throws ApiException {
        return resources(type).contains(type.plural());
    }

    /**
     * Whether the type has a status subresource. Without one, status is part of the object and written with it.
     *
     * @throws ApiException if the API server cannot say
     */
    public boolean hasStatusSubresource(ResourceType<?> type) throws ApiException {
        return resources(type).contains(type.plural() + "/status");
    }

    /**
     * The type of which only group, version and name in URLs are known, its objects without a class of their own.
     *
     * @return null if it is not served
     * @throws ApiException if the API server cannot say
     */
    public @Nullable ResourceType<DynamicKubernetesObject> dynamicType(String group, String version, String plural)
            throws ApiException {
        for (V1APIResource resource : ask(group.isEmpty() ? version : group + "/" + version)) {
            if (resource.getName().equals(plural)) {
                return new ResourceType<>(
                        DynamicKubernetesObject.class,
                        group,
                        version,
                        resource.getKind(),
                        plural,
                        resource.getNamespaced() ? ResourceType.Scope.NAMESPACED : ResourceType.Scope.CLUSTER);
            }
        }
        return null;
    }

    /** Forgets what is remembered about the type's group and version: for whoever got an answer that contradicts it. */
    public void invalidate(ResourceType<?> type) {
        answers.remove(type.apiVersion());
    }

    private Set<String> resources(ResourceType<?> type) throws ApiException {
        Answer known = answers.get(type.apiVersion());
        if (known != null && clock.nanoTime() - known.at() < REMEMBERED.toNanos()) {
            return known.resources();
        }
        long now = clock.nanoTime();
        Set<String> resources =
                ask(type.apiVersion()).stream().map(V1APIResource::getName).collect(Collectors.toUnmodifiableSet());
        answers.put(type.apiVersion(), new Answer(resources, now));
        return resources;
    }

    private List<V1APIResource> ask(String groupVersion) throws ApiException {
        String path = (groupVersion.contains("/") ? "/apis/" : "/api/") + groupVersion;
        try {
            return requests.send(
                            "discover " + groupVersion,
                            requests.request("GET", path, List.of(), null, null),
                            response -> ApiJson.read(response.body().bytes(), adapter))
                    .getResources();
        } catch (RequestFailedException e) {
            if (e.getCode() == 404) {
                return List.of();
            }
            throw e;
        }
    }
}

package io.controllermanager.client;

import com.google.gson.TypeAdapter;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1APIResource;
import io.kubernetes.client.openapi.models.V1APIResourceList;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the API server serves, as every authenticated user may ask ({@code system:discovery}). Answers are remembered for
 * half a minute, since types come and go with their CRDs. One request at a time asks about a group and version, and
 * whoever else asks meanwhile gets its answer. Safe for use by several threads.
 */
public final class ApiDiscovery {

    /**
     * How long to wait between two calls of {@link #isServedNow}. A type is used within 5 seconds of being served: at most
     * these two, one for which answers are shared, and one for which the API server turns the first list away.
     */
    public static final Duration WAITING_INTERVAL = Duration.ofSeconds(2);

    private static final Duration REMEMBERED = Duration.ofSeconds(30);

    /** How old an answer may be for those who wait: one serves all whose watches ended together. */
    private static final Duration SHARED = Duration.ofSeconds(1);

    private final ApiRequests requests;
    private final Clock clock;
    private final TypeAdapter<V1APIResourceList> adapter = ApiJson.adapter(V1APIResourceList.class);
    private final Map<String, GroupVersion> groupVersions = new ConcurrentHashMap<>();

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
     * Whether a type is served at this moment, for those who wait for it and ask every {@link #WAITING_INTERVAL}. However
     * many they are, one answer a second is enough for each group and version, and none once nobody waits.
     *
     * @param group empty for the core group
     * @throws ApiException if the API server cannot say
     */
    public boolean isServedNow(String group, String version, String plural) throws ApiException {
        return resources(groupVersion(group, version), SHARED).contains(plural);
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
        for (V1APIResource resource : ask(groupVersion(group, version))) {
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
        groupVersions.remove(type.apiVersion());
    }

    private static String groupVersion(String group, String version) {
        return group.isEmpty() ? version : group + "/" + version;
    }

    private Set<String> resources(ResourceType<?> type) throws ApiException {
        return resources(type.apiVersion(), REMEMBERED);
    }

    private Set<String> resources(String groupVersion, Duration oldest) throws ApiException {
        return groupVersions.computeIfAbsent(groupVersion, GroupVersion::new).resources(oldest);
    }

    /** What is known of one group and version. */
    private final class GroupVersion {

        private final String name;
        private final ReentrantLock asking = new ReentrantLock();
        private volatile @Nullable Answer latest;

        GroupVersion(String name) {
            this.name = name;
        }

        Set<String> resources(Duration oldest) throws ApiException {
            Set<String> known = notOlderThan(oldest);
            if (known != null) {
                return known;
            }
            try {
                asking.lockInterruptibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw ApiRequests.failure("discover " + name, new InterruptedIOException("interrupted"));
            }
            try {
                Set<String> meanwhile = notOlderThan(oldest);
                if (meanwhile != null) {
                    return meanwhile;
                }
                long now = clock.nanoTime();
                Set<String> resources =
                        ask(name).stream().map(V1APIResource::getName).collect(Collectors.toUnmodifiableSet());
                latest = new Answer(resources, now);
                return resources;
            } finally {
                asking.unlock();
            }
        }

        private @Nullable Set<String> notOlderThan(Duration age) {
            Answer known = latest;
            return known != null && clock.nanoTime() - known.at() < age.toNanos() ? known.resources() : null;
        }
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

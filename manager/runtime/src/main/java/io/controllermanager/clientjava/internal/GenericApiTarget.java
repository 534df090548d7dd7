package io.controllermanager.clientjava.internal;

import io.controllermanager.client.internal.request.ResourcePath;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client-java {@code GenericKubernetesApi} is for. That class keeps it in private fields and has no method that tells
 * it; without it, no informer could be shared with those who name the type.
 *
 * @param resource the type
 * @param client what it sends its requests through
 */
record GenericApiTarget(ResourcePath resource, ApiClient client) {

    private static final Logger log = LoggerFactory.getLogger(GenericApiTarget.class);

    /**
     * Reads the fields; null where another version of client-java has others, and for a subclass of an application's,
     * which may list and watch in a way of its own.
     */
    static @Nullable GenericApiTarget of(GenericKubernetesApi<?, ?> api) {
        if (api.getClass() != GenericKubernetesApi.class && api.getClass() != DynamicKubernetesApi.class) {
            return null;
        }
        try {
            return new GenericApiTarget(
                    new ResourcePath(
                            String.class.cast(field(api, "apiGroup")),
                            String.class.cast(field(api, "apiVersion")),
                            String.class.cast(field(api, "resourcePlural")),
                            null,
                            null,
                            null),
                    CustomObjectsApi.class.cast(field(api, "customObjectsApi")).getApiClient());
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.atDebug()
                    .addKeyValue("cause", e.toString())
                    .log("It cannot be told what an API is for; it is listed and watched plainly");
            return null;
        }
    }

    private static Object field(GenericKubernetesApi<?, ?> api, String name) throws ReflectiveOperationException {
        Field field = GenericKubernetesApi.class.getDeclaredField(name);
        field.setAccessible(true);
        return java.util.Objects.requireNonNull(field.get(api), name);
    }
}

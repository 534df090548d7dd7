package io.controllermanager.informer.internal.reflector;

import io.controllermanager.informer.internal.store.SelectedObjects;
import io.kubernetes.client.openapi.ApiException;
import okhttp3.HttpUrl;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/** Makes the request for a collection. An informer sets the parameters of its lists and watches on it. */
@FunctionalInterface
public interface CollectionRequest {

    /**
     * The request, as the client is configured now.
     *
     * @throws ApiException if it cannot be made
     */
    Request request(boolean watch, String resourceVersion) throws ApiException;

    /** The media type to ask for. */
    default String accept(boolean watch) {
        return "application/json";
    }

    /** The URL; null if the request cannot be made yet, and nothing is known about it. */
    default @Nullable HttpUrl url() {
        try {
            return request(false, "0").url();
        } catch (ApiException e) {
            return null;
        }
    }

    /** Whether a URL asks for all objects of its collection, and for nothing else that is special. */
    static boolean isForAll(HttpUrl url) {
        return SelectedObjects.PLAIN.containsAll(url.queryParameterNames());
    }
}

package io.controllermanager.informer;

import io.kubernetes.client.openapi.ApiException;
import java.util.List;

/**
 * Where a reflector gets its objects from.
 *
 * @param <T> the object's class
 */
interface ListWatch<T> {

    /** What is listed, for messages: {@code deployments.apps in default}. */
    String target();

    /**
     * Lists all objects.
     *
     * @param resourceVersion empty for the most recent state, {@code 0} for any state, else for a state not older
     * @throws ApiException if the API server answers otherwise, or not at all (code 0)
     */
    Listing<T> list(String resourceVersion) throws ApiException;

    /**
     * Opens a stream of changes after a resourceVersion.
     *
     * @param timeoutSeconds after which the API server ends the stream
     * @throws ApiException if the API server answers otherwise, or not at all (code 0)
     */
    WatchStream<T> watch(String resourceVersion, int timeoutSeconds) throws ApiException;

    /** Makes whatever is under way fail soon, on any thread. */
    void cancel();

    /**
     * What a list brought.
     *
     * @param items the objects
     * @param resourceVersion of the collection
     */
    record Listing<T>(List<T> items, String resourceVersion) {}
}

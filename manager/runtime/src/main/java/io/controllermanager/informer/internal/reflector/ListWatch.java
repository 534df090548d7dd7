package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.internal.request.Permission;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where a reflector gets its objects from; as client-go's {@code ListerWatcher}.
 *
 * @param <T> the object's class
 */
public interface ListWatch<T> {

    /** What is listed, for messages: {@code deployments.apps in default}. */
    String target();

    /** What must be granted for a verb to be allowed here. */
    Permission permission(String verb);

    /**
     * Lists objects; what is left out is not held meanwhile where the source can read one object at a time.
     *
     * @param resourceVersion empty for the most recent state, {@code 0} for any state, else for a state not older
     * @param kept which objects the listing is to have
     * @throws ApiException if the API server answers otherwise, or not at all (code 0)
     */
    Listing<T> list(String resourceVersion, Predicate<? super T> kept) throws ApiException;

    /**
     * Whether {@link #watchList} is to be tried; not whether the API server has it. Never, unless a source says so.
     *
     * @param first whether there is nothing yet
     */
    default boolean triesWatchList(boolean first) {
        return false;
    }

    /**
     * Opens a stream that begins with every object there is, says by a bookmark that these were all, and goes on with
     * changes: the WatchList of KEP-3157.
     *
     * @param resourceVersion empty for the most recent state, else for a state not older
     * @param timeoutSeconds after which the API server ends the stream
     * @throws ApiException if the API server answers otherwise, with 400 or 422 if it has no such thing, or not at all
     *     (code 0)
     */
    default WatchStream<T> watchList(String resourceVersion, int timeoutSeconds) throws ApiException {
        throw new UnsupportedOperationException("this source cannot be told to send the initial state");
    }

    /**
     * Opens a stream of changes after a resourceVersion.
     *
     * @param timeoutSeconds after which the API server ends the stream
     * @throws ApiException if the API server answers otherwise, or not at all (code 0)
     */
    WatchStream<T> watch(String resourceVersion, int timeoutSeconds) throws ApiException;

    /**
     * Whether the API server says that it does not serve what is listed. Where it does not say, or what is listed is not
     * known, this is false: then only a list can tell. To be asked every {@link ApiDiscovery#WAITING_INTERVAL}.
     */
    default boolean isKnownMissing() {
        return false;
    }

    /** The collection's present version, as new as it is stored; negative if it cannot be asked for or compared. */
    default long presentVersion() throws ApiException {
        return -1;
    }

    /** Makes whatever is under way fail soon, on any thread. */
    void cancel();

    /**
     * What a list brought.
     *
     * @param items the objects
     * @param resourceVersion of the collection
     * @param unreadable how many objects were left out, since they do not fit their class
     */
    record Listing<T>(List<T> items, String resourceVersion, int unreadable) {}
}

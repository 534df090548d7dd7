package io.controllermanager.external;

import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.openapi.ApiException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The things of one kind that one object has outside Kubernetes, in one reconcile. For the thread that reconciles. Methods that
 * return a {@link Readiness} never wait: if a thing is not ready yet, cannot be reached or has to wait for its turn, that says so,
 * and the object comes again by itself. What a call throws that is no outage fails the reconcile.
 *
 * @param <K> what the author calls a thing
 * @param <V> what is known of a thing
 */
public interface ExternalResources<K, V> {

    /**
     * Sees to it that a thing is there, and as wanted. Nothing is asked while what was read last is new enough and as wanted. A
     * write follows from a read of just now, and is read back.
     *
     * @param key its name in the system, or a name of its own within the object where the system gives ids
     * @return ready; progressing while it is on its way, or waits; failed if the system has been down for 30 seconds, or the
     *     thing is there and not ours
     * @throws ApiException if it cannot be recorded on the object
     */
    Readiness ensure(K key, V wanted) throws ApiException;

    /** What was read last of a thing by this process, null if there was none or it was not read yet. Never asks. */
    @Nullable
    V value(K key);

    /** The things that are recorded on the object. */
    Set<K> keys();

    /** Deletes a thing that is recorded on the object; ready once a read shows that it is gone. */
    default Readiness remove(K key) throws ApiException {
        return remove(key, null);
    }

    /**
     * As {@link #remove(Object)}, where the system gives ids and cannot {@link ExternalSystem.ById#find find} what was made with a
     * token. If the id was lost with the process that made the thing, this asks for it by one more {@code create}.
     *
     * @param wanted what the thing was made of, null not to ask that way
     */
    Readiness remove(K key, @Nullable V wanted) throws ApiException;

    /** Deletes what is recorded on the object and this reconcile has not {@linkplain #ensure ensured}. Called after all else. */
    Readiness removeOthers() throws ApiException;

    /** Deletes all that is recorded on the object; ready once all is gone. For a clean-up, at its place in the order. */
    Readiness remove() throws ApiException;
}

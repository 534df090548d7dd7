package io.controllermanager.external;

import io.controllermanager.controller.internal.FailureCause;
import io.controllermanager.readiness.Readiness;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A system outside Kubernetes, as an author makes it known: how one kind of thing in it is read, made, changed and deleted. A
 * thing has a name that the author chooses, in {@link ByName}, or an id that the system gives, in {@link ById}.
 *
 * <p>Workers call it, several at a time, and wait for the answer: give the client a time limit, and end when interrupted. What a
 * call throws is a failure of the reconcile, which is tried again, unless it is an {@link #isOutage outage}. Each call may come
 * again after it has taken effect, since its answer, or the process, may be lost.
 *
 * @param <K> the names or ids of things
 * @param <V> what is known of a thing; immutable, with {@code equals}, such as a record
 */
public sealed interface ExternalSystem<K, V> {

    /** What there is; null if there is no such thing. */
    @Nullable
    V read(K id) throws Exception;

    /**
     * Brings a thing into another state.
     *
     * @param present as it was read just now
     */
    void update(K id, V present, V wanted) throws Exception;

    /** Deletes a thing. It may be gone or on its way already, which is no error. */
    void delete(K id) throws Exception;

    /** All things there are, for {@link External#pollAllEvery}. */
    default Map<K, V> readAll() throws Exception {
        throw new UnsupportedOperationException(getClass().getName() + " must have readAll to be polled as a whole");
    }

    /** Whether a thing needs no update. {@code equals} unless said otherwise, as where the system fills in fields. */
    default boolean isAsWanted(V present, V wanted) {
        return wanted.equals(present);
    }

    /** How far a thing is that is as wanted; null if it is ready at once. For what takes its time, such as a machine. */
    default @Nullable Readiness readiness(V present) {
        return null;
    }

    /**
     * Whether a call has failed since the system is down or cannot be reached, so that no call is of use for a while. An {@link
     * IOException} or a {@link TimeoutException} unless said otherwise, or what one of these has caused.
     */
    default boolean isOutage(Exception failure) {
        return FailureCause.chain(failure).stream()
                .anyMatch(cause -> cause instanceof IOException || cause instanceof TimeoutException);
    }

    /**
     * A system whose things have names that the author chooses. The name is recorded on the object before the thing is made.
     *
     * @param <K> names: a string, a number or a record of those, which Gson reads and writes
     * @param <V> what is known of a thing
     */
    non-sealed interface ByName<K, V> extends ExternalSystem<K, V> {

        /** Makes a thing that was not there just now. */
        void create(K name, V wanted) throws Exception;
    }

    /**
     * A system that gives each thing an id. A token is recorded on the object before the thing is made, and the id after that. If
     * the answer is lost, {@link #find} is asked for what was made, and {@link #create} is called with the same token again.
     * One of the two has to cope with that.
     *
     * @param <V> what is known of a thing
     */
    non-sealed interface ById<V> extends ExternalSystem<String, V> {

        /**
         * Makes a thing, or gives the id of the one that was made with the same token.
         *
         * @param token unique; an idempotency token, or a tag that {@link #find} looks for
         * @return the id
         */
        String create(String token, V wanted) throws Exception;

        /**
         * Looks for a thing before it is made: by the token, or by what it is where the system has no tokens.
         *
         * @param wanted null when a thing is to be deleted of which nothing but the token is known
         * @return the id; null if there is none, or the system cannot tell and {@link #create} copes with the same token
         */
        default @Nullable String find(String token, @Nullable V wanted) throws Exception {
            return null;
        }
    }
}

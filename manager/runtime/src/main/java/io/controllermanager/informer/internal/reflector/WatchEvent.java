package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.internal.request.GarbledStreamException;
import io.kubernetes.client.openapi.models.V1Status;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One message of a watch.
 *
 * @param <T> the object's class
 */
public sealed interface WatchEvent<T> {

    /**
     * An event about an object.
     *
     * @param type as the API server has it: {@code ADDED}, {@code MODIFIED} or {@code DELETED}
     * @throws IOException if it is another
     */
    static <T> WatchEvent<T> of(String type, T object) throws IOException {
        return switch (type) {
            case "ADDED" -> new Changed<>(object, true);
            case "MODIFIED" -> new Changed<>(object, false);
            case "DELETED" -> new Removed<>(object);
            default -> throw new GarbledStreamException("the watch sends an event of unknown type " + type, null);
        };
    }

    /** The type as the API server has it; empty for what could not be decoded. */
    default String type() {
        if (this instanceof Changed<T> changed) {
            return changed.added() ? "ADDED" : "MODIFIED";
        }
        return this instanceof Removed<T>
                ? "DELETED"
                : this instanceof Bookmark<T> ? "BOOKMARK" : this instanceof Failed<T> ? "ERROR" : "";
    }

    /**
     * An object was added or modified.
     *
     * @param object its new state
     * @param added whether the API server calls it new
     */
    record Changed<T>(T object, boolean added) implements WatchEvent<T> {}

    /**
     * An object was deleted.
     *
     * @param object its last state, with the deletion's resourceVersion
     */
    record Removed<T>(T object) implements WatchEvent<T> {}

    /**
     * Nothing happened to the watched objects up to a resourceVersion.
     *
     * @param resourceVersion where the next watch may start
     * @param initialStateEnds whether every object of the initial state has been sent
     */
    record Bookmark<T>(String resourceVersion, boolean initialStateEnds) implements WatchEvent<T> {}

    /**
     * Something happened to an object that does not fit its class, and is left out.
     *
     * @param resourceVersion where the next watch may start
     */
    record Unreadable<T>(String resourceVersion) implements WatchEvent<T> {}

    /**
     * The API server cannot go on.
     *
     * @param code as an HTTP status
     * @param message what it says
     * @param retryAfterSeconds how long it asks to be left alone, null if it does not
     */
    record Failed<T>(int code, String message, @Nullable Integer retryAfterSeconds) implements WatchEvent<T> {

        /** What a Status says. */
        public static <T> Failed<T> of(@Nullable V1Status status) {
            ApiStatus said = ApiStatus.of(status, "an error without a message");
            return new Failed<>(
                    said.code() == 0 ? 500 : said.code(),
                    said.message(),
                    said.details().getRetryAfterSeconds());
        }
    }
}

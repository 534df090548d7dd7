package io.controllermanager.informer;

/**
 * One message of a watch.
 *
 * @param <T> the object's class
 */
sealed interface WatchEvent<T> {

    /**
     * An object was added or modified.
     *
     * @param object its new state
     */
    record Changed<T>(T object) implements WatchEvent<T> {}

    /**
     * An object was deleted.
     *
     * @param object its last state, with the deletion's resourceVersion
     */
    record Removed<T>(T object) implements WatchEvent<T> {}

    /**
     * Nothing happened to the watched objects up to a resourceVersion, or what happened could not be read.
     *
     * @param resourceVersion where the next watch may start
     */
    record Bookmark<T>(String resourceVersion) implements WatchEvent<T> {}

    /**
     * The API server cannot go on.
     *
     * @param code as an HTTP status
     * @param message what it says
     */
    record Failed<T>(int code, String message) implements WatchEvent<T> {}
}

package io.controllermanager.event;

/**
 * Something happened to an object of one type.
 *
 * @param <T> the object's class
 */
public sealed interface ResourceEvent<T> {

    /** The object in its newest known state. Shared with other readers: not to be changed. */
    T object();

    /**
     * The object is there.
     *
     * @param object the object
     * @param initial whether it was there when the informer (or the handler) started, rather than made just now
     */
    record Created<T>(T object, boolean initial) implements ResourceEvent<T> {}

    /**
     * The object changed, or a resync delivers it once more.
     *
     * @param before its last known state
     * @param object its new state; the same resourceVersion as before means a resync
     */
    record Updated<T>(T before, T object) implements ResourceEvent<T> {}

    /**
     * The object is gone.
     *
     * @param object its last known state
     * @param finalStateUnknown whether the deletion itself was missed and found by a list, so that the object may be
     *     older than what was deleted
     */
    record Deleted<T>(T object, boolean finalStateUnknown) implements ResourceEvent<T> {}

    /** Something outside Kubernetes concerns the object. */
    record Generic<T>(T object) implements ResourceEvent<T> {}
}

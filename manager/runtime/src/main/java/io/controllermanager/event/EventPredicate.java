package io.controllermanager.event;

/**
 * Says which events matter to a controller. Called on the informer's delivery thread: brief, no blocking.
 *
 * @param <T> the object's class
 */
@FunctionalInterface
public interface EventPredicate<T> {

    /** Whether the event is to be handled. */
    boolean test(ResourceEvent<T> event);

    /** Handled only if both say so. */
    default EventPredicate<T> and(EventPredicate<T> other) {
        return event -> test(event) && other.test(event);
    }

    /** Handled if one of both says so. */
    default EventPredicate<T> or(EventPredicate<T> other) {
        return event -> test(event) || other.test(event);
    }

    /** Handled if this one says it is not. */
    default EventPredicate<T> negate() {
        return event -> !test(event);
    }
}

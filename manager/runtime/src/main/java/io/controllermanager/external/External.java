package io.controllermanager.external;

import java.time.Duration;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One kind of thing outside Kubernetes, and how its system is used. A bean or a constant, which a description names by {@code
 * external} and a reconciler uses by {@code r.external}. Limits and outages are those of one controller in one process.
 *
 * @param <K> what the author calls a thing: its name in the system, or a name within the object where the system gives ids
 * @param <V> what is known of a thing
 * @param name lower case letters, digits and dashes; it is in the record on each object, in reasons and messages
 * @param keys the class of the names
 * @param system where the things are
 * @param poll how old what was read may be
 * @param whole whether all things are read at once
 * @param limit how many calls there may be, null for no limit
 * @param adopts whether a thing that is there, and is not recorded on the object, is taken over; given it and what is wanted
 */
public record External<K, V>(
        String name,
        Class<K> keys,
        ExternalSystem<K, V> system,
        Duration poll,
        boolean whole,
        @Nullable Limit limit,
        BiPredicate<V, V> adopts) {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /**
     * A limit for calls.
     *
     * @param perSecond how many a second, on average
     * @param burst how many at once
     */
    public record Limit(double perSecond, int burst) {

        public Limit {
            if (!(perSecond > 0) || burst < 1) {
                throw new IllegalArgumentException(
                        "limit must be positive, but is " + perSecond + " a second and " + burst + " at once");
            }
        }
    }

    public External {
        if (!name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")) {
            throw new IllegalArgumentException(
                    "name must be lower case letters, digits and dashes, but is \"" + name + "\"");
        }
        if (poll.isZero() || poll.isNegative()) {
            throw new IllegalArgumentException("poll must be positive, but is " + poll);
        }
    }

    /** Things with names of ours, each read once a minute. */
    public static <K, V> External<K, V> byName(String name, Class<K> keys, ExternalSystem.ByName<K, V> system) {
        return new External<>(name, keys, system, MINUTE, false, null, (present, wanted) -> false);
    }

    /** Things with ids of the system's, each read once a minute. */
    public static <V> External<String, V> byId(String name, ExternalSystem.ById<V> system) {
        return new External<>(name, String.class, system, MINUTE, false, null, (present, wanted) -> false);
    }

    /** Reads each thing once in this time. What was read serves all reconciles until then. */
    public External<K, V> pollEvery(Duration interval) {
        return new External<>(name, keys, system, interval, false, limit, adopts);
    }

    /** Reads all things at once in this time, by {@link ExternalSystem#readAll}; all are kept in memory. */
    public External<K, V> pollAllEvery(Duration interval) {
        return new External<>(name, keys, system, interval, true, limit, adopts);
    }

    /** Limits calls. Objects whose calls have to wait come again when it is their turn. */
    public External<K, V> limit(double perSecond, int burst) {
        return new External<>(name, keys, system, poll, whole, new Limit(perSecond, burst), adopts);
    }

    /**
     * Whether a thing that is there already is taken over where this one is wanted, such as one whose mark names the same object:
     * {@code (present, wanted) -> present.owner().equals(wanted.owner())}. Without it none is: it may be somebody else's.
     */
    public External<K, V> adopts(BiPredicate<V, V> newAdopts) {
        return new External<>(name, keys, system, poll, whole, limit, newAdopts);
    }
}

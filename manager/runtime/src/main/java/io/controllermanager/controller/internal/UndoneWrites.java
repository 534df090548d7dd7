package io.controllermanager.controller.internal;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;

/**
 * Which of a controller's writes somebody undoes again and again, and how long their keys pause for that. It is seen from
 * the answers to this process's own writes: where one has left an object as the one before had left it, and yet the object
 * has another version, somebody had changed it in between and the write has changed it back. An API server gives no new
 * version to a write that changes nothing.
 *
 * <p>After {@value #MANY} such writes in a row the key pauses, from a second to a minute, twice as long each time. It is over
 * once none has come for the pause and a minute. The {@value #REMEMBERED} objects written last are remembered. Safe for use
 * by several threads.
 */
final class UndoneWrites {

    /** Somebody who edits an object by hand does not come so far. */
    static final int MANY = 10;

    static final Duration QUIET = Duration.ofMinutes(1);

    /** A key may pause for a minute: so many suffice for 160 writes a second. An entry takes about 300 bytes. */
    private static final int REMEMBERED = 10_000;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Clock clock;

    /** By the request's path. */
    private final Map<String, Written> written = Collections.synchronizedMap(new BoundedMap<>(REMEMBERED));

    /**
     * What is remembered of a write.
     *
     * @param undone how many in a row before this one somebody has undone
     * @param at when it was answered
     * @param pause how long its key pauses for it
     */
    private record Written(State state, int undone, long at, Duration pause) {

        Written next(State next, long now) {
            boolean fresh = now - at <= UndoneWrites.pause(undone).plus(QUIET).toNanos();
            if (fresh && next.restores(state)) {
                return new Written(next, undone + 1, now, UndoneWrites.pause(undone + 1));
            }
            // One that changes nothing does not matter.
            return new Written(next, fresh && next.version.equals(state.version) ? undone : 0, now, Duration.ZERO);
        }
    }

    /**
     * How a write has left an object.
     *
     * @param whole stands for all but the version, the generation and who manages which field
     * @param desired the same without the status, which others write all the time
     * @param generation negative if the object has none
     */
    record State(int whole, int desired, long generation, String version) {

        /** Of an object as the API server answers it. */
        static State of(JsonObject object) {
            JsonObject rest = new JsonObject();
            rest.asMap().putAll(object.asMap());
            JsonElement status = rest.remove("status");
            JsonObject metadata = new JsonObject();
            if (rest.remove("metadata") instanceof JsonObject there) {
                metadata.asMap().putAll(there.asMap());
            }
            rest.add("metadata", metadata);
            JsonElement version = metadata.remove("resourceVersion");
            JsonElement generation = metadata.remove("generation");
            metadata.remove("managedFields");
            int desired = rest.hashCode();
            return new State(
                    31 * desired + Objects.hashCode(status),
                    desired,
                    generation instanceof JsonPrimitive number ? number.getAsLong() : -1,
                    version instanceof JsonPrimitive text ? text.getAsString() : "");
        }

        /**
         * Whether this is what the state before was, though the object was another meanwhile. What others write into the
         * status does not count where the generation says that the rest was changed twice: by somebody, and back.
         */
        boolean restores(State before) {
            return !version.equals(before.version)
                    && (whole == before.whole || (desired == before.desired && generation - before.generation >= 2));
        }
    }

    UndoneWrites(Clock clock) {
        this.clock = clock;
    }

    /**
     * A reconcile has written an object.
     *
     * @param path the request's, which names the object
     * @return how long its key is to pause since somebody undoes that again and again, zero for not at all
     */
    Duration written(String path, State state) {
        long now = clock.nanoTime();
        return written.compute(
                        path,
                        (same, before) ->
                                before == null ? new Written(state, 0, now, Duration.ZERO) : before.next(state, now))
                .pause();
    }

    static Duration pause(int undone) {
        if (undone < MANY) {
            return Duration.ZERO;
        }
        Duration doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(undone - MANY, 10));
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
}

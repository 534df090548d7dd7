package io.controllermanager.informer.faults;

import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handler that believes what it is told, and complains where that does not fit together: an object that is made twice,
 * goes back in time, or changes without having been made.
 */
final class Recorder implements EventSubscriber<V1ConfigMap> {

    private static final int COMPLAINTS = 20;

    private final String name;
    private final Timer timer;
    private final Duration pause;
    private final Map<String, State> objects = new HashMap<>();
    private final List<Seen> seen = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private @Nullable CompletableFuture<Checkpoint> wanted;
    private long wantedAfter;
    private long events;
    private long newest;

    /**
     * What was told up to an event of the watch, which comes after all that came before it.
     *
     * @param version the event's
     * @param objects all that are there according to what was told
     * @param seen what was told since the last such moment
     * @param complaints what did not fit together since then
     */
    record Checkpoint(long version, Map<String, State> objects, List<Seen> seen, List<String> complaints) {}

    /**
     * A handler.
     *
     * @param pause how long it takes for an event
     */
    Recorder(String name, Timer timer, Duration pause) {
        this.name = name;
        this.timer = timer;
        this.pause = pause;
    }

    String name() {
        return name;
    }

    /** How many events it has been told of. */
    synchronized long events() {
        return events;
    }

    /** The highest version of an event that it has been told of. */
    synchronized long newest() {
        return newest;
    }

    /**
     * The state at the first event after a version. Events with a higher version than the informer's present one come
     * from its watch, in order, and after any list; so the state at such an event is the collection's at its version.
     */
    synchronized CompletableFuture<Checkpoint> checkpointAfter(long version) {
        CompletableFuture<Checkpoint> asked = new CompletableFuture<>();
        wanted = asked;
        wantedAfter = version;
        return asked;
    }

    @Override
    public void onEvent(ResourceEvent<V1ConfigMap> event) {
        record(event);
        try {
            timer.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void record(ResourceEvent<V1ConfigMap> event) {
        V1ConfigMap object = event.object();
        String key = String.valueOf(object.getMetadata().getName());
        State state = State.of(object);
        State before = objects.get(key);
        events++;
        newest = Math.max(newest, state.version());
        if (event instanceof ResourceEvent.Created<V1ConfigMap>) {
            check(before == null, event, before);
            objects.put(key, state);
            seen.add(new Seen(state.version(), Seen.Kind.CREATED, key));
        } else if (event instanceof ResourceEvent.Updated<V1ConfigMap> updated) {
            check(
                    before != null
                            && before.equals(State.of(updated.before()))
                            && before.uid().equals(state.uid())
                            && before.version() < state.version(),
                    event,
                    before);
            objects.put(key, state);
            seen.add(new Seen(state.version(), Seen.Kind.UPDATED, key));
        } else if (event instanceof ResourceEvent.Deleted<V1ConfigMap> deleted) {
            check(
                    before != null
                            && before.uid().equals(state.uid())
                            && (deleted.finalStateUnknown()
                                    ? before.equals(state)
                                    : before.version() < state.version()),
                    event,
                    before);
            objects.remove(key);
            seen.add(new Seen(state.version(), Seen.Kind.DELETED, key));
        }
        CompletableFuture<Checkpoint> asked = wanted;
        if (asked != null && state.version() > wantedAfter) {
            wanted = null;
            asked.complete(
                    new Checkpoint(state.version(), Map.copyOf(objects), List.copyOf(seen), List.copyOf(complaints)));
            seen.clear();
            complaints.clear();
        }
    }

    private void check(boolean fits, ResourceEvent<V1ConfigMap> event, @Nullable State before) {
        if (!fits && complaints.size() < COMPLAINTS) {
            complaints.add(name + " was told " + event.getClass().getSimpleName() + " of "
                    + event.object().getMetadata().getName() + " as " + State.of(event.object()) + " when it knew "
                    + before);
        }
    }
}

package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All writes go through here, and each is followed by what controllers make of it, in the same thread: who deletes an
 * owner finds its dependents gone when the answer comes. What followers write themselves is followed when they are done,
 * one after the other, however long the chain is.
 */
public final class Commits {

    private final Store store;
    private final InstantSource clock;
    private final List<Follower> followers = new CopyOnWriteArrayList<>();
    /** What this thread wrote and is yet to be followed; null while it follows nothing. */
    @SuppressWarnings("ThreadLocalUsage") // One server's writes are nothing to another's.
    private final ThreadLocal<@Nullable Deque<Write>> writes = new ThreadLocal<>();

    public Commits(Store store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Acts on writes after they were made. */
    @FunctionalInterface
    public interface Follower {

        /** Sees a write, or the last that was seen of a deleted object. */
        void follow(StoredObject object, boolean deleted);
    }

    private record Write(StoredObject object, boolean deleted) {}

    private void follow(Write write) {
        Deque<Write> outer = writes.get();
        if (outer != null) {
            outer.add(write);
        } else {
            followed(() -> follow(write));
        }
    }

    /** Writes something. What follows from it is done on return, also where a follower writes it. */
    public void followed(Runnable action) {
        Deque<Write> outer = writes.get();
        Deque<Write> queue = new ArrayDeque<>();
        writes.set(queue);
        try {
            action.run();
            for (Write next = queue.poll(); next != null; next = queue.poll()) {
                for (Follower follower : followers) {
                    follower.follow(next.object(), next.deleted());
                }
            }
        } finally {
            writes.set(outer);
        }
    }

    public void add(Follower follower) {
        followers.add(follower);
    }

    public Store store() {
        return store;
    }

    /** The time of now as objects have it, in whole seconds. */
    public String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /**
     * Says of an object's condition whether it holds since now; gives it.
     *
     * @param reason empty for none, as is the message
     */
    ObjectNode condition(ObjectNode object, String type, boolean holds, String reason, String message) {
        ArrayNode conditions = Json.child(object, "status").withArray("conditions");
        ObjectNode condition = (ObjectNode) Json.list(conditions).stream()
                .filter(known -> known.path("type").asText().equals(type))
                .findFirst()
                .orElseGet(conditions::addObject);
        String status = holds ? "True" : "False";
        if (!condition.path("status").asText().equals(status)) {
            condition.put("type", type).put("status", status).put("lastTransitionTime", now());
        }
        Json.setText(condition, "reason", reason);
        Json.setText(condition, "message", message);
        return condition;
    }

    @Nullable
    StoredObject put(Key key, @Nullable StoredObject expected, ObjectNode tree) {
        return put(key, expected, tree, () -> {});
    }

    /**
     * Writes as {@link Store#put} does, if something holds at that very moment.
     *
     * @param check throws if it does not hold; may read the store, but has to be quick
     */
    @Nullable
    StoredObject put(Key key, @Nullable StoredObject expected, ObjectNode tree, Runnable check) {
        StoredObject written = store.put(key, expected, tree, check);
        if (written != null) {
            follow(new Write(written, false));
        }
        return written;
    }

    /** Removes as {@link Store#delete} does. */
    @Nullable
    StoredObject remove(StoredObject expected) {
        StoredObject last = store.delete(expected);
        if (last != null) {
            follow(new Write(last, true));
        }
        return last;
    }

    /** Changes an object, whatever state it is in; removes it if that was all that its deletion waited for. */
    public void edit(Key key, Consumer<ObjectNode> change) {
        for (StoredObject current = store.get(key); current != null; current = store.get(key)) {
            ObjectNode tree = current.tree();
            change.accept(tree);
            if (replace(current, tree)) {
                return;
            }
        }
    }

    /** Changes an object as {@link #edit} does, if it still is as the caller saw it; tells whether it was. */
    public boolean replace(StoredObject expected, ObjectNode tree) {
        return expected.holds(tree)
                || (isFinished(tree) ? remove(expected) : put(expected.key(), expected, tree)) != null;
    }

    /** Takes a finalizer away. */
    void drop(Key key, String finalizer) {
        edit(key, object -> Meta.changeFinalizers(object, List.of(finalizer), ""));
    }

    /** Whether nothing keeps an object any more that is to be deleted. */
    static boolean isFinished(ObjectNode object) {
        return Meta.isBeingDeleted(object)
                && Meta.finalizers(object).isEmpty()
                && object.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0
                // Only Namespaces have finalizers there.
                && object.path("spec").path("finalizers").isEmpty();
    }

    /** Deletes an object as controllers do: its dependents go after it. */
    public void deleteInBackground(StoredObject object) {
        deleteSurely(object, Deletion.BACKGROUND);
    }

    /** Begins an object's deletion as {@link #delete} does, whoever changes it meanwhile. */
    void deleteSurely(StoredObject object, Deletion deletion) {
        StoredObject current = object;
        while (current != null && current.uid().equals(object.uid()) && delete(current, deletion) == null) {
            current = store.get(object.key());
        }
    }

    /**
     * Begins an object's deletion, which is its end if nothing keeps it.
     *
     * @return the state that it is in since then, or was in last; null if it was changed meanwhile
     */
    @Nullable
    StoredObject delete(StoredObject current, Deletion deletion) {
        String resource = current.key().resource();
        ObjectNode tree = mark(resource, current.tree(), deletion);
        if (current.holds(tree)) {
            return isFinished(tree) ? remove(current) : current;
        }
        if (!isFinished(tree)) {
            return put(current.key(), current, tree);
        }
        StoredObject last = Deletion.isGraceful(resource) ? put(current.key(), current, tree) : current;
        return last == null ? null : remove(last);
    }

    /** Marks an object, in whatever version, as one that is to be deleted; gives it back. */
    ObjectNode mark(String resource, ObjectNode object, Deletion deletion) {
        boolean begun = Meta.isBeingDeleted(object);
        deletion.mark(resource, object, Instant.parse(now()));
        if (!begun && resource.equals("namespaces")) {
            Json.child(object, "status").put("phase", "Terminating");
        } else if (!begun && resource.equals(Definitions.CRDS)) {
            Meta.changeFinalizers(object, List.of(Definitions.CLEANUP), Definitions.CLEANUP);
            String message = "CustomResource deletion is in progress";
            condition(object, "Terminating", true, "InstanceDeletionInProgress", message);
        }
        return object;
    }
}

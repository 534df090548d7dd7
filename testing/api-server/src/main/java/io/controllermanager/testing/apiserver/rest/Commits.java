package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.storage.Key;
import io.controllermanager.testing.apiserver.storage.Store;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * All writes go through here, and each is followed by what controllers make of it, in the same thread: who deletes an
 * owner finds its dependents gone when the answer comes.
 */
public final class Commits {

    private final Store store;
    private final InstantSource clock;
    private final List<Follower> followers = new CopyOnWriteArrayList<>();

    public Commits(Store store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Acts on writes after they were made. */
    @FunctionalInterface
    public interface Follower {

        /**
         * Sees a write.
         *
         * @param deleted whether this is the last that was seen of the object
         */
        void follow(StoredObject object, boolean deleted);
    }

    public void add(Follower follower) {
        followers.add(follower);
    }

    public Store store() {
        return store;
    }

    /** The time of now as objects have it, in whole seconds. */
    String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Adds a condition that holds since now. */
    ObjectNode condition(ArrayNode conditions, String type, String reason, String message) {
        return conditions
                .addObject()
                .put("type", type)
                .put("status", "True")
                .put("lastTransitionTime", now())
                .put("reason", reason)
                .put("message", message);
    }

    /** Writes as {@link Store#put} does. */
    @Nullable
    StoredObject put(Key key, @Nullable StoredObject expected, ObjectNode tree) {
        StoredObject written = store.put(key, expected, tree);
        if (written != null) {
            followers.forEach(follower -> follower.follow(written, false));
        }
        return written;
    }

    /** Removes as {@link Store#delete} does. */
    @Nullable
    StoredObject remove(StoredObject expected) {
        StoredObject last = store.delete(expected);
        if (last != null) {
            followers.forEach(follower -> follower.follow(last, true));
        }
        return last;
    }

    /** Changes an object, whatever state it is in; removes it if that was all that its deletion waited for. */
    public void edit(Key key, UnaryOperator<ObjectNode> change) {
        while (true) {
            StoredObject current = store.get(key);
            if (current == null) {
                return;
            }
            ObjectNode changed = change.apply(current.tree());
            if (current.holds(changed)) {
                return;
            }
            if ((isFinished(changed) ? remove(current) : put(key, current, changed)) != null) {
                return;
            }
        }
    }

    /** Whether nothing keeps an object any more that is to be deleted. */
    static boolean isFinished(ObjectNode object) {
        return Meta.isBeingDeleted(object)
                && Meta.finalizers(object).isEmpty()
                // Only Namespaces have finalizers there.
                && object.path("spec").path("finalizers").isEmpty();
    }

    /**
     * Begins an object's deletion, which is its end if nothing keeps it.
     *
     * @param finalizer what is to be done first: {@code orphan}, {@code foregroundDeletion}, or empty
     * @return the state that it is in since then, or was in last; null if it was changed meanwhile
     */
    @Nullable
    StoredObject delete(StoredObject current, String finalizer) {
        ObjectNode tree = current.tree();
        List<String> finalizers = new ArrayList<>(Meta.finalizers(tree));
        boolean begun = Meta.isBeingDeleted(tree);
        if (!finalizer.isEmpty() && !finalizers.contains(finalizer) && !begun) {
            finalizers.add(finalizer);
        }
        Meta.setFinalizers(tree, finalizers);
        if (!begun) {
            ObjectNode metadata = Meta.of(tree);
            metadata.put("deletionTimestamp", now()).put("deletionGracePeriodSeconds", 0);
            if (metadata.path("generation").asLong() > 0) {
                metadata.put("generation", metadata.path("generation").asLong() + 1);
            }
            if (current.key().resource().equals("namespaces")) {
                Json.child(tree, "status").put("phase", "Terminating");
            }
        }
        if (isFinished(tree)) {
            return remove(current);
        }
        return current.holds(tree) ? current : put(current.key(), current, tree);
    }
}

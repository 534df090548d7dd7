package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.Registry;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Deletes what has no owner any more, and orphans or deletes dependents first where a deletion asks for that. */
public record GarbageCollector(Commits commits, Registry registry) implements Commits.Follower {

    static final String ORPHAN = "orphan";
    static final String FOREGROUND = "foregroundDeletion";

    @Override
    public void follow(StoredObject object, boolean deleted) {
        if (deleted) {
            settleDependents(object, object.uid());
            ownersInWait(object).forEach(this::release);
            return;
        }
        if (!object.isBeingDeleted()) {
            if (!object.owners().isEmpty()) {
                settle(object, "");
                ownersInWait(object).forEach(this::release);
            }
        } else if (Meta.finalizers(object.tree()).contains(ORPHAN)) {
            for (StoredObject dependent : commits.store().dependentsOf(object.uid())) {
                commits.edit(dependent.key(), orphan -> {
                    List<JsonNode> left = Meta.ownerReferences(orphan);
                    left.removeIf(reference -> uid(reference).equals(object.uid()));
                    setOwners(orphan, left);
                });
            }
            commits.drop(object.key(), ORPHAN);
        } else if (Meta.finalizers(object.tree()).contains(FOREGROUND)) {
            settleDependents(object, "");
            release(object);
        }
    }

    private void settleDependents(StoredObject owner, String gone) {
        commits.store().dependentsOf(owner.uid()).forEach(dependent -> settle(dependent, gone));
    }

    /**
     * Deletes an object that no owner keeps, or takes the references to others than those that do away
     * (kube-controller-manager, garbagecollector.go, attemptToDeleteItem).
     *
     * @param gone the uid of an owner that is known to be gone; may be empty
     */
    private void settle(StoredObject object, String gone) {
        StoredObject current = object;
        while (current != null && current.uid().equals(object.uid()) && !current.isBeingDeleted()) {
            ObjectNode tree = current.tree();
            List<JsonNode> references = Meta.ownerReferences(tree);
            List<StoredObject> waiting = ownersInWait(current);
            List<JsonNode> keeping = new ArrayList<>();
            for (JsonNode reference : references) {
                ResourceType type = type(reference);
                if (type != null
                        && type.namespaced()
                        && current.key().namespace().isEmpty()) {
                    // What is in no namespace cannot be owned by what is in one; it is left alone for good.
                    return;
                }
                boolean waits = waiting.stream().anyMatch(owner -> owner.uid().equals(uid(reference)));
                // Of a type that is not known here it may be there.
                boolean exists = type == null || owner(type, current, reference) != null;
                if (!waits && !uid(reference).equals(gone) && exists) {
                    keeping.add(reference);
                }
            }
            if (keeping.size() == references.size()) {
                return;
            }
            StoredObject after;
            if (keeping.isEmpty()) {
                boolean first = !waiting.isEmpty()
                        && !commits.store().dependentsOf(current.uid()).isEmpty();
                after = commits.delete(current, first ? Deletion.FOREGROUND : Deletion.PLAIN);
            } else {
                setOwners(tree, keeping);
                after = commits.put(current.key(), current, tree);
            }
            if (after != null) {
                return;
            }
            current = commits.store().get(object.key());
        }
    }

    /** Lets an owner go that waits for its dependents, if none that it has to wait for is left. */
    private void release(StoredObject owner) {
        boolean blocked = commits.store().dependentsOf(owner.uid()).stream()
                .flatMap(dependent -> Meta.ownerReferences(dependent.tree()).stream())
                .anyMatch(reference -> uid(reference).equals(owner.uid())
                        && reference.path("blockOwnerDeletion").asBoolean());
        if (!blocked) {
            commits.drop(owner.key(), FOREGROUND);
        }
    }

    private static void setOwners(ObjectNode object, List<JsonNode> references) {
        JsonNode set =
                references.isEmpty() ? MissingNode.getInstance() : Json.array().addAll(references);
        Json.set(Meta.of(object), "ownerReferences", set);
    }

    private static String uid(JsonNode reference) {
        return reference.path("uid").asText();
    }

    /** The owners that are deleted in the foreground. */
    private List<StoredObject> ownersInWait(StoredObject dependent) {
        return owners(dependent).stream()
                .filter(owner ->
                        owner.isBeingDeleted() && Meta.finalizers(owner.tree()).contains(FOREGROUND))
                .toList();
    }

    /** The owners that are there. */
    public List<StoredObject> owners(StoredObject dependent) {
        return Meta.ownerReferences(dependent.tree()).stream()
                .map(reference -> owner(type(reference), dependent, reference))
                .filter(Objects::nonNull)
                .toList();
    }

    /** The type of an object, or of what a reference leads to; null if it is not known here. */
    public @Nullable ResourceType type(JsonNode reference) {
        return registry.ofKind(
                reference.path("apiVersion").asText(), reference.path("kind").asText());
    }

    private @Nullable StoredObject owner(@Nullable ResourceType type, StoredObject dependent, JsonNode reference) {
        if (type == null) {
            return null;
        }
        String namespace = type.namespaced() ? dependent.key().namespace() : "";
        StoredObject owner = commits.store()
                .get(new Key(type.storage(), namespace, reference.path("name").asText()));
        return owner != null && owner.uid().equals(reference.path("uid").asText()) ? owner : null;
    }
}

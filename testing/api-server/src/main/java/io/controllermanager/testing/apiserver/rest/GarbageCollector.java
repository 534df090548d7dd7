package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.resource.Registry;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.storage.Key;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Deletes what has no owner any more, and orphans or deletes dependents first where a deletion asks for that. */
public final class GarbageCollector implements Commits.Follower {

    static final String ORPHAN = "orphan";
    static final String FOREGROUND = "foregroundDeletion";

    private final Commits commits;
    private final Registry registry;

    public GarbageCollector(Commits commits, Registry registry) {
        this.commits = commits;
        this.registry = registry;
    }

    @Override
    public void follow(StoredObject object, boolean deleted) {
        if (deleted) {
            commits.store().dependentsOf(object.uid()).forEach(dependent -> disown(dependent, object.uid(), true));
            wakeOwners(object);
        } else if (!object.owners().isEmpty() && allOwnersAreGone(object)) {
            delete(object);
        }
        if (!deleted) {
            ObjectNode tree = object.tree();
            if (Meta.isBeingDeleted(tree)) {
                List<String> finalizers = Meta.finalizers(tree);
                if (finalizers.contains(ORPHAN)) {
                    commits.store()
                            .dependentsOf(object.uid())
                            .forEach(dependent -> disown(dependent, object.uid(), false));
                    drop(object.key(), ORPHAN);
                } else if (finalizers.contains(FOREGROUND)) {
                    deleteDependentsOf(object);
                }
            }
        }
    }

    private void deleteDependentsOf(StoredObject owner) {
        for (StoredObject dependent : commits.store().dependentsOf(owner.uid())) {
            if (!Meta.isBeingDeleted(dependent.tree())) {
                disown(dependent, owner.uid(), true);
            }
        }
        boolean blocked = commits.store().dependentsOf(owner.uid()).stream()
                .flatMap(dependent -> Meta.ownerReferences(dependent.tree()).stream())
                .anyMatch(reference -> reference.path("uid").asText().equals(owner.uid())
                        && reference.path("blockOwnerDeletion").asBoolean());
        if (!blocked) {
            drop(owner.key(), FOREGROUND);
        }
    }

    private void drop(Key key, String finalizer) {
        commits.edit(key, object -> {
            List<String> left = new ArrayList<>(Meta.finalizers(object));
            left.remove(finalizer);
            Meta.setFinalizers(object, left);
            return object;
        });
    }

    /** Takes a reference to an owner away; if it was the last and the owner is not orphaning, the dependent goes. */
    private void disown(StoredObject dependent, String owner, boolean delete) {
        boolean others = dependent.owners().stream().anyMatch(uid -> !uid.equals(owner));
        if (delete && !others) {
            delete(dependent);
            return;
        }
        commits.edit(dependent.key(), object -> {
            List<JsonNode> left = new ArrayList<>(Meta.ownerReferences(object));
            left.removeIf(reference -> reference.path("uid").asText().equals(owner));
            if (left.isEmpty()) {
                Meta.of(object).remove("ownerReferences");
            } else {
                Meta.of(object).set("ownerReferences", Json.array().addAll(left));
            }
            return object;
        });
    }

    private void delete(StoredObject object) {
        boolean owns = !commits.store().dependentsOf(object.uid()).isEmpty();
        StoredObject current = object;
        while (current != null && current.uid().equals(object.uid())) {
            if (commits.delete(current, owns ? FOREGROUND : "") != null) {
                return;
            }
            current = commits.store().get(object.key());
        }
    }

    private boolean allOwnersAreGone(StoredObject dependent) {
        return Meta.ownerReferences(dependent.tree()).stream().allMatch(reference -> {
            ResourceType type = type(reference);
            return type != null && owner(type, dependent, reference) == null;
        });
    }

    private @Nullable ResourceType type(JsonNode reference) {
        return registry.ofKind(
                reference.path("apiVersion").asText(), reference.path("kind").asText());
    }

    private @Nullable StoredObject owner(ResourceType type, StoredObject dependent, JsonNode reference) {
        String namespace = type.namespaced() ? dependent.key().namespace() : "";
        StoredObject owner = commits.store()
                .get(new Key(type.storage(), namespace, reference.path("name").asText()));
        return owner != null && owner.uid().equals(reference.path("uid").asText()) ? owner : null;
    }

    private void wakeOwners(StoredObject dependent) {
        for (JsonNode reference : Meta.ownerReferences(dependent.tree())) {
            ResourceType type = type(reference);
            StoredObject owner = type == null ? null : owner(type, dependent, reference);
            if (owner != null && Meta.finalizers(owner.tree()).contains(FOREGROUND)) {
                deleteDependentsOf(owner);
            }
        }
    }
}

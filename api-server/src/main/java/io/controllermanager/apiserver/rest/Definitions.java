package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.resource.Registry;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.List;

/** Serves the resources that CRDs define, and says so in their status. */
public record Definitions(Commits commits, Registry registry) implements Commits.Follower {

    static final String CRDS = "customresourcedefinitions.apiextensions.k8s.io";

    /** Keeps a definition until its instances are gone. */
    static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

    private static final List<String> NAMES = List.of("plural", "singular", "shortNames", "kind", "listKind");

    /** Whether an immutable field may change all the same: what nothing is stored by before the definition is served. */
    static boolean mayChange(ObjectNode before, String path) {
        return List.of("spec.scope", "spec.names.kind").contains(path)
                && before.at("/status/conditions").findValuesAsText("reason").contains("NotAccepted");
    }

    static Key key(String name) {
        return new Key(CRDS, "", name);
    }

    @Override
    public void follow(StoredObject object, boolean deleted) {
        Key key = object.key();
        if (!key.resource().equals(CRDS)) {
            if (deleted) {
                // A custom resource's collection is named as its definition.
                release(key(key.resource()));
            }
            return;
        }
        serve(key);
        if (deleted) {
            // Its names are free for those that could not have them.
            commits.store().objects(CRDS, "").forEach(other -> commits.edit(other.key(), this::establish));
        } else if (object.isBeingDeleted()) {
            // Nothing is created of it since then, so that once is enough.
            commits.store().objects(key.name(), "").forEach(instance -> commits.deleteSurely(instance, Deletion.PLAIN));
            release(key);
        } else {
            commits.edit(key, this::establish);
        }
    }

    /**
     * Serves what a definition says now: two writes may be followed in another order than they were made in. Watches end
     * with what they were begun by, and clients read anew what the definition has made of its objects.
     */
    private synchronized void serve(Key definition) {
        StoredObject now = commits.store().get(definition);
        ObjectNode crd = now == null ? Json.object() : now.tree();
        boolean served = !crd.at("/status/acceptedNames/kind").asText("").isEmpty()
                && Json.anyFits(crd.at("/spec/versions"), "served=true");
        if (served ? registry.define(crd) : registry.undefine(definition.name())) {
            commits.store().renew(definition.name());
        }
    }

    private void release(Key definition) {
        StoredObject crd = commits.store().get(definition);
        if (crd != null
                && crd.isBeingDeleted()
                && commits.store().objects(definition.name(), "").isEmpty()) {
            commits.drop(definition, CLEANUP);
        }
    }

    /** Accepts a definition's names unless another of its group has one (apiextensions-apiserver, naming_controller.go). */
    private void establish(ObjectNode crd) {
        ObjectNode status = Json.child(crd, "status");
        JsonNode names = crd.at("/spec/names");
        // Of several conflicts the last is told of.
        String conflict = NAMES.stream()
                .filter(field -> registry.isTaken(crd, names.path(field)))
                .reduce("", (first, last) -> last);
        if (conflict.isEmpty()) {
            commits.condition(crd, "NamesAccepted", true, "NoConflicts", "no conflicts found");
            commits.condition(crd, "Established", true, "InitialNamesAccepted", "the initial names have been accepted");
            status.set("acceptedNames", names.deepCopy());
        } else {
            String reason = Character.toUpperCase(conflict.charAt(0)) + conflict.substring(1) + "Conflict";
            String message = names.path(conflict) + " is already in use";
            commits.condition(crd, "NamesAccepted", false, reason, message);
            if (status.at("/acceptedNames/kind").asText("").isEmpty()) {
                commits.condition(crd, "Established", false, "NotAccepted", "not all names are accepted");
                status.putObject("acceptedNames").put("plural", "").put("kind", "");
            }
        }
        // What was ever stored stays there until a client says that all is migrated.
        ArrayNode stored = status.withArray("storedVersions");
        crd.path("spec").path("versions").forEach(version -> {
            JsonNode name = version.path("name");
            if (version.path("storage").asBoolean() && !Json.list(stored).contains(name)) {
                stored.add(name);
            }
        });
    }
}

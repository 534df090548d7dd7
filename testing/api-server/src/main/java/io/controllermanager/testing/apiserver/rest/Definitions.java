package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.Registry;
import io.controllermanager.testing.apiserver.storage.Key;
import io.controllermanager.testing.apiserver.storage.StoredObject;

/** Serves the resources that CRDs define, and says so in their status. */
public final class Definitions implements Commits.Follower {

    static final String CRDS = "customresourcedefinitions.apiextensions.k8s.io";

    /** Keeps a definition until its instances are gone. */
    static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

    private final Commits commits;
    private final Registry registry;

    public Definitions(Commits commits, Registry registry) {
        this.commits = commits;
        this.registry = registry;
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
        if (!deleted && object.isBeingDeleted()) {
            // Nothing is created of it since then, so that once is enough.
            for (StoredObject instance :
                    commits.store().list(key.name()).objects().values()) {
                commits.deleteSurely(instance, Deletion.PLAIN);
            }
            release(key);
        } else if (!deleted) {
            commits.edit(key, this::establish);
        }
    }

    /**
     * Serves what a definition says now: two writes may be followed in another order than they were made in. Watches end
     * with what they were begun by, and clients read anew what the definition has made of its objects.
     */
    private synchronized void serve(Key definition) {
        StoredObject now = commits.store().get(definition);
        if (now != null
                && Json.list(now.tree().at("/spec/versions")).stream()
                        .anyMatch(version -> version.path("served").asBoolean())) {
            if (registry.define(now.tree())) {
                commits.store().renew(definition.name());
            }
        } else if (registry.undefine(definition.name())) {
            commits.store().renew(definition.name());
        }
    }

    private void release(Key definition) {
        StoredObject crd = commits.store().get(definition);
        if (crd != null
                && crd.isBeingDeleted()
                && commits.store().list(definition.name()).objects().isEmpty()) {
            commits.drop(definition, CLEANUP);
        }
    }

    private ObjectNode establish(ObjectNode crd) {
        ObjectNode status = Json.child(crd, "status");
        if (status.path("conditions").isEmpty()) {
            ArrayNode conditions = status.putArray("conditions");
            commits.condition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found");
            commits.condition(
                    conditions, "Established", "InitialNamesAccepted", "the initial names have been accepted");
            status.set("acceptedNames", crd.path("spec").path("names").deepCopy());
        }
        // What was ever stored stays there until a client says that all is migrated.
        ArrayNode stored = status.withArray("storedVersions");
        crd.path("spec").path("versions").forEach(version -> {
            JsonNode name = version.path("name");
            if (version.path("storage").asBoolean() && !Json.list(stored).contains(name)) {
                stored.add(name);
            }
        });
        return crd;
    }
}

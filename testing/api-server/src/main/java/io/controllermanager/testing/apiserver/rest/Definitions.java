package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.Registry;
import io.controllermanager.testing.apiserver.storage.StoredObject;

/** Serves the resources that CRDs define, and says so in their status. */
public final class Definitions implements Commits.Follower {

    static final String CRDS = "customresourcedefinitions.apiextensions.k8s.io";

    private final Commits commits;
    private final Registry registry;

    public Definitions(Commits commits, Registry registry) {
        this.commits = commits;
        this.registry = registry;
    }

    @Override
    public void follow(StoredObject object, boolean deleted) {
        if (!object.key().resource().equals(CRDS)) {
            return;
        }
        if (!deleted) {
            registry.define(object.tree());
            commits.edit(object.key(), this::establish);
            return;
        }
        // Named as its collection is.
        String storage = object.key().name();
        for (StoredObject instance : commits.store().list(storage).objects().values()) {
            commits.remove(instance);
        }
        registry.undefine(object.key().name());
    }

    private ObjectNode establish(ObjectNode crd) {
        ObjectNode status = Json.child(crd, "status");
        if (!status.path("conditions").isEmpty()) {
            return crd;
        }
        ArrayNode conditions = status.putArray("conditions");
        commits.condition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found");
        commits.condition(conditions, "Established", "InitialNamesAccepted", "the initial names have been accepted");
        status.set("acceptedNames", crd.path("spec").path("names").deepCopy());
        ArrayNode stored = status.putArray("storedVersions");
        crd.path("spec").path("versions").forEach(version -> {
            if (version.path("storage").asBoolean()) {
                stored.add(version.path("name"));
            }
        });
        return crd;
    }
}

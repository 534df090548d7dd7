package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;

/** Empties a namespace that is to be deleted, and lets it go when it is empty. */
public record Namespaces(Commits commits) implements Commits.Follower {

    static Key key(String name) {
        return new Key("namespaces", "", name);
    }

    /** Makes one, as if a client had. */
    public void create(String name, String uid) {
        ObjectNode namespace = Json.object().put("kind", "Namespace").put("apiVersion", "v1");
        Meta.of(namespace).put("name", name).put("uid", uid).put("creationTimestamp", commits.now());
        Json.child(Meta.of(namespace), "labels").put("kubernetes.io/metadata.name", name);
        Json.child(namespace, "spec").putArray("finalizers").add("kubernetes");
        Json.child(namespace, "status").put("phase", "Active");
        commits.put(key(name), null, namespace);
    }

    @Override
    public void follow(StoredObject object, boolean deleted) {
        if (object.key().resource().equals("namespaces")) {
            if (!deleted && object.isBeingDeleted()) {
                // Nothing is created there since then, so that once is enough.
                commits.store()
                        .inNamespace(object.key().name())
                        .forEach(content -> commits.deleteSurely(content, Deletion.BACKGROUND));
                release(object.key());
            }
        } else if (deleted) {
            StoredObject namespace = commits.store().get(key(object.key().namespace()));
            if (namespace != null && namespace.isBeingDeleted()) {
                release(namespace.key());
            }
        }
    }

    private void release(Key namespace) {
        if (commits.store().inNamespace(namespace.name()).isEmpty()) {
            commits.edit(namespace, object -> Json.child(object, "spec").remove("finalizers"));
        }
    }
}

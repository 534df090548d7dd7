package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.function.Function;

/** Where an object goes that a client writes: its name and namespace, and whether these take it. */
final class Placement {

    private Placement() {}

    /** Puts an object into the request's namespace; into none where there are none, whatever it says. */
    static void place(ResourceRequest request, ObjectNode object) {
        String given = Meta.namespace(object);
        if (!request.type().namespaced()) {
            Meta.of(object).remove("namespace");
        } else if (given.isEmpty()) {
            Meta.of(object).put("namespace", request.namespace());
        } else if (!given.equals(request.namespace())) {
            throw StatusException.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
    }

    /** Refuses an object that has another name than its path, or none. */
    static void checkName(ResourceRequest request, ObjectNode object) {
        if (Meta.name(object).isEmpty()) {
            throw StatusException.badRequest("the name of the object (" + request.name()
                    + " based on URL) was undeterminable: name must be provided");
        }
        if (!Meta.name(object).equals(request.name())) {
            throw StatusException.badRequest("the name of the object (" + Meta.name(object)
                    + ") does not match the name on the URL (" + request.name() + ")");
        }
    }

    /** Refuses an object that is to have another uid than this, which is empty if it is not there. */
    static void checkUid(Function<String, StatusException> refusal, ObjectNode object, String uid) {
        String given = Meta.uid(object);
        if (!given.isEmpty() && !given.equals(uid)) {
            throw refusal.apply("Precondition failed: UID in precondition: " + given + ", UID in object meta: " + uid);
        }
    }

    /** Refuses to create in a namespace or of a type that is not there or on its way out. */
    static void check(Store store, ResourceType type, String place, String name) {
        if (type.isCustom()) {
            StoredObject definition = store.get(Definitions.key(type.storage()));
            if (definition == null) {
                throw StatusException.noSuchResource();
            }
            if (definition.isBeingDeleted()) {
                String why = "create not allowed while custom resource definition is terminating";
                throw StatusException.forbidden(type.groupResource(), name, why);
            }
        }
        if (type.namespaced()
                && store.existing(Namespaces.key(place), "namespaces").isBeingDeleted()) {
            throw StatusException.terminating(type.groupResource(), name, place);
        }
    }
}

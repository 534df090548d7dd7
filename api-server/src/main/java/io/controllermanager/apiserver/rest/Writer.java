package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.access.AccessControl;
import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.MediaTypes;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.patch.FieldOwnership;
import io.controllermanager.apiserver.patch.Manager;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.resource.Trait;
import io.controllermanager.apiserver.schema.Defaults;
import io.controllermanager.apiserver.schema.Empties;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.table.Representation;
import io.controllermanager.apiserver.webhook.Attributes;
import io.controllermanager.apiserver.webhook.Webhooks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Creates, updates and patches objects (apiserver, pkg/registry/rest and pkg/registry/generic).
 *
 * @param access asked about what the request's verb does not say
 * @param uids makes a new one each time
 * @param suffixes what comes after a {@code generateName}
 */
public record Writer(
        Commits commits,
        AccessControl access,
        Webhooks webhooks,
        Allocation allocation,
        Supplier<String> uids,
        Supplier<String> suffixes) {

    private static final List<String> SET_BY_SERVER =
            List.of("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink");

    public Response create(ResourceRequest request) {
        if (!request.name().isEmpty()) {
            throw StatusException.methodNotAllowed();
        }
        ObjectNode object = Decoder.body(request.http(), request.type());
        List<String> warnings = Decoder.fit(request, object);
        return create(request, object, false, warnings);
    }

    /**
     * Creates an object out of a client's.
     *
     * @param noted whether the object says already who manages what
     */
    private Response create(ResourceRequest request, ObjectNode object, boolean noted, List<String> warnings) {
        ResourceType type = request.type();
        Manager manager = request.manager(false);
        access.checkGrant(request, null, object);
        ObjectNode metadata = Meta.of(object);
        JsonNode sent = metadata.get("managedFields");
        Placement.place(request, object);
        metadata.remove(SET_BY_SERVER);
        Proposals.tidy(type, object);
        begin(type, object);
        Placement.check(commits.store(), type, request.namespace(), Meta.name(object));
        if (!noted) {
            request.ownership().noteUpdate(Json.object(), object, sent, manager, commits.now());
        }
        new Admission(commits.store(), suffixes).admit(type, object);
        if (type.is("certificates.k8s.io", "certificatesigningrequests")) {
            Json.child(object, "spec").remove(List.of("extra", "uid"));
            Json.child(object, "spec").setAll(access.sender(request.http()));
        }
        return create(request, admitted(request, null, object, warnings), warnings);
    }

    private Response create(ResourceRequest request, ObjectNode object, List<String> warnings) {
        ResourceType type = request.type();
        Key key = request.key(Meta.name(object));
        if (request.isDryRun()) {
            if (commits.store().get(key) != null) {
                throw StatusException.alreadyExists(type.groupResource(), key.name());
            }
            allocation.allocate(key, object);
            return answer(201, request, Versions.kept(object, type), warnings);
        }
        if (Meta.resourceVersion(object).matches("0*[1-9]\\d{0,17}")) {
            throw StatusException.of(500, "", "resourceVersion should not be set on objects to be created");
        }
        ObjectNode stored = Versions.stored(object, type);
        StoredObject written = commits.put(key, null, stored, () -> {
            Placement.check(commits.store(), type, request.namespace(), key.name());
            allocation.allocate(key, stored);
        });
        if (written == null) {
            throw StatusException.alreadyExists(type.groupResource(), key.name());
        }
        return answer(201, request, Versions.tree(written, type), warnings);
    }

    /** Gives an object what all have from the start: a name, a uid, and the defaults of its type. */
    private void begin(ResourceType type, ObjectNode object) {
        ObjectNode metadata = Meta.of(object);
        String base = Meta.text(object, "generateName");
        if (Meta.name(object).isEmpty() && !base.isEmpty()) {
            metadata.put("name", base.substring(0, Math.min(base.length(), 58)) + suffixes.get());
        }
        metadata.put("uid", uids.get()).put("creationTimestamp", commits.now());
        if (type.has(Trait.COUNTS_GENERATIONS)) {
            metadata.put("generation", 1);
        }
        if (type.subresources().contains("status") && !type.is("", "nodes")) {
            object.remove("status");
        }
        if (type.is("batch", "jobs")) {
            TypeRules.selectPods(object);
        }
        TypeRules.setDefaults(type, Json.object(), object, commits::now);
    }

    /** Creates an object of the server's own; tells whether it did: not if it is there, or its namespace goes. */
    public boolean create(ResourceType type, ObjectNode object) {
        begin(type, object);
        new Admission(commits.store(), suffixes).admit(type, object);
        Key key = new Key(type.storage(), Meta.namespace(object), Meta.name(object));
        try {
            Runnable check = () -> Placement.check(commits.store(), type, key.namespace(), key.name());
            return commits.put(key, null, object, check) != null;
        } catch (StatusException e) {
            return false;
        }
    }

    /** Refuses an update or an apply that creates to whom may not create. */
    private void checkCreation(ResourceRequest request) {
        access.check(request.http(), RequestTarget.of(request.http()).withVerb("create"));
    }

    private static Response answer(int code, ResourceRequest request, ObjectNode object, List<String> warnings) {
        ObjectNode shown = request.isScale() ? ScaleView.of(request).show(object) : object;
        return Representation.of(request.http()).one(code, request.shown().type(), shown, warnings);
    }

    public Response update(ResourceRequest request) {
        ResourceRequest shown = request.shown();
        ObjectNode body = Decoder.body(request.http(), shown.type());
        List<String> warnings = Decoder.fit(shown, body);
        Placement.checkName(request, body);
        if (request.type().has(Trait.CREATED_BY_PUT)
                && request.subresource().isEmpty()
                && commits.store().get(request.key()) == null) {
            Placement.checkUid(request::conflict, body, "");
            checkCreation(request);
            Meta.of(body).remove("resourceVersion");
            return create(request, body, false, warnings);
        }
        boolean needsVersion = shown.type().has(Trait.PUT_BY_VERSION);
        UnaryOperator<ObjectNode> change = before -> {
            if (needsVersion && Reader.version(Meta.resourceVersion(body), 500) == 0) {
                Cause cause = Cause.invalid("metadata.resourceVersion", 0, "must be specified for an update");
                throw request.invalid(request.name(), List.of(cause));
            }
            return body.deepCopy();
        };
        return modify(request, change, false, warnings);
    }

    public Response patch(ResourceRequest request) {
        String mediaType = MediaTypes.ofBody(request.http());
        Patches.check(mediaType, request);
        if (mediaType.equals(Patches.APPLY)) {
            return apply(request);
        }
        if (request.http().has("force")) {
            throw request.badOptions(Cause.forbidden("force", "may not be specified for non-apply patch"));
        }
        List<String> warnings = new ArrayList<>();
        return modify(request, before -> Patches.apply(mediaType, request.shown(), before, warnings), false, warnings);
    }

    private Response apply(ResourceRequest request) {
        if (request.http().parameter("fieldManager").isEmpty()) {
            throw request.badOptions(Cause.required("fieldManager", "is required for apply patch"));
        }
        ResourceType type = request.type();
        ResourceRequest shown = request.shown();
        ObjectNode configuration = Decoder.configuration(shown);
        FieldOwnership ownership = shown.ownership();
        ownership.check(configuration);
        List<String> warnings = Decoder.fit(shown, configuration);
        if (!Meta.name(configuration).isEmpty()) {
            Placement.checkName(request, configuration);
        }
        Manager manager = shown.manager(true);
        boolean force = request.http().flag("force");
        boolean customScale = request.isScale() && type.isCustom();
        UnaryOperator<ObjectNode> change = before -> {
            if (customScale && !Meta.of(before).has("managedFields")) {
                throw ScaleView.notApplied();
            }
            ObjectNode after = ownership.apply(before, configuration, manager, force, commits.now());
            if (customScale && !after.path("spec").equals(before.path("spec"))) {
                throw ScaleView.notApplied();
            }
            JsonNode version = configuration.path("metadata").path("resourceVersion");
            if (version.isTextual()) {
                Meta.of(after).set("resourceVersion", version);
            }
            return after;
        };
        while (true) {
            if (commits.store().get(request.key()) != null) {
                return modify(request, change, true, warnings);
            }
            if (!request.subresource().isEmpty()) {
                throw StatusException.notFound(type.groupResource(), request.name());
            }
            if (!Meta.uid(configuration).isEmpty()) {
                throw request.conflict("uid mismatch: the provided object specified uid " + Meta.uid(configuration)
                        + ", and no existing object was found");
            }
            Placement.checkName(request, configuration);
            checkCreation(request);
            try {
                ObjectNode fresh = ownership.apply(Json.object(), configuration, manager, force, commits.now());
                return create(request, fresh, true, warnings);
            } catch (StatusException e) {
                boolean lostTheRace = e.code() == 409 && commits.store().get(request.key()) != null;
                if (!lostTheRace) {
                    throw e;
                }
            }
        }
    }

    /**
     * Changes an object, again if someone was faster.
     *
     * @param noted whether the change notes by itself who manages what
     * @param warnings get what the client is to be told
     */
    private Response modify(
            ResourceRequest request, UnaryOperator<ObjectNode> change, boolean noted, List<String> warnings) {
        ResourceType type = request.type();
        while (true) {
            StoredObject current = request.existing(commits.store());
            ObjectNode before = Versions.tree(current, type);
            ObjectNode proposed = request.isScale()
                    ? ScaleView.of(request)
                            .change(before.deepCopy(), noted ? change : scale -> scale(request, scale, change))
                    : change.apply(before.deepCopy());
            access.checkGrant(request, before, proposed);
            JsonNode sent = proposed.path("metadata").get("managedFields");
            ObjectNode after = Proposals.prepare(request, before, proposed, commits::now);
            if (!noted && !request.isScale()) {
                // Nobody has set the defaults of its version.
                ObjectNode known = before.deepCopy();
                Defaults.apply(known, type.schema());
                request.ownership().noteUpdate(known, after, sent, request.manager(false), commits.now());
            }
            after = admitted(request, before, after, warnings);
            ObjectNode stored = Versions.stored(after, type);
            // An object that is stored as its type was before is written again, though nothing seems to change.
            if (FieldOwnership.differInTimesAtMost(current.tree(), stored)) {
                return answer(200, request, before, warnings);
            }
            if (request.isDryRun()) {
                allocation.allocate(current.key(), after);
                return answer(200, request, Versions.kept(after, type), warnings);
            }
            if (Commits.isFinished(after)) {
                if (commits.remove(current) != null) {
                    return answer(200, request, after, warnings);
                }
                continue;
            }
            StoredObject written =
                    commits.put(current.key(), current, stored, () -> allocation.allocate(current.key(), stored));
            if (written != null) {
                return answer(200, request, Versions.tree(written, type), warnings);
            }
        }
    }

    /**
     * What webhooks make of an object, which they and its type's rules allow. They are asked while no lock is held: who commits
     * what comes of it learns whether the object is another one by then.
     *
     * @param before null for a creation
     * @param warnings get what is wrong but stops nothing, and what webhooks have to say
     */
    private ObjectNode admitted(
            ResourceRequest request, @Nullable ObjectNode before, ObjectNode object, List<String> warnings) {
        if (!webhooks.areThere()) {
            Proposals.judge(request, before, object, warnings);
            return object;
        }
        ObjectNode sender = access.sender(request.http());
        ObjectNode old = before == null ? null : seen(request, before);
        Attributes write = request.attributes(seen(request, object), old, sender);
        ObjectNode mutated = webhooks.mutate(write, warnings);
        ObjectNode after = object;
        if (mutated != null && !mutated.equals(write.object())) {
            after = request.isScale() ? ScaleView.of(request).change(object, scale -> mutated) : mutated;
            Decoder.refit(request.type(), after);
            if (before != null) {
                after = Proposals.prepare(request, before, after, commits::now);
            } else {
                TypeRules.setDefaults(request.type(), Json.object(), after, commits::now);
            }
        }
        Proposals.judge(request, before, after, warnings);
        webhooks.validate(request.attributes(seen(request, after), old, sender), warnings);
        return after;
    }

    /** Asks webhooks about an object that is sent to be answered. */
    ObjectNode admit(ResourceRequest request, ObjectNode object, List<String> warnings) {
        if (!webhooks.areThere()) {
            return object;
        }
        Attributes write = request.attributes(object, null, access.sender(request.http()));
        return Objects.requireNonNull(webhooks.admit(write, warnings));
    }

    private static ObjectNode seen(ResourceRequest request, ObjectNode object) {
        return request.isScale() ? ScaleView.of(request).show(object) : object;
    }

    /** Changes a Scale, and notes who manages it now. */
    private ObjectNode scale(ResourceRequest request, ObjectNode before, UnaryOperator<ObjectNode> change) {
        ResourceRequest shown = request.shown();
        ObjectNode after = change.apply(before.deepCopy());
        Empties.drop(after, shown.type().schema());
        Placement.checkName(request, after);
        shown.ownership().noteUpdate(before, after, null, shown.manager(false), commits.now());
        return after;
    }
}

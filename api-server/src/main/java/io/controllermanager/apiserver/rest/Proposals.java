package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.resource.Trait;
import io.controllermanager.apiserver.schema.Empties;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What becomes of an object that a client or a webhook would have, and whether it may be. */
final class Proposals {

    private Proposals() {}

    /** What is not the client's to change stays. */
    static ObjectNode prepare(ResourceRequest request, ObjectNode before, ObjectNode proposed, Supplier<String> now) {
        ResourceType type = request.type();
        String name = request.name();
        Placement.checkName(request, proposed);
        Placement.place(request, proposed);
        String version = Meta.resourceVersion(proposed);
        if (Reader.version(version, 500) > 0 && !version.isEmpty() && !version.equals(Meta.resourceVersion(before))) {
            throw StatusException.stale(type.groupResource(), name);
        }
        if (request.http().method().equals("PUT")) {
            Placement.checkUid(request::conflict, proposed, Meta.uid(before));
        }
        List<String> kept = request.kept();
        ObjectNode after = proposed;
        if (kept.contains("metadata")) {
            after = before.deepCopy();
            String taken = kept.contains("status") ? "spec.ephemeralContainers" : "status";
            Json.set(after, taken, Json.at(proposed, taken));
            Json.set(after, "metadata.managedFields", proposed.at("/metadata/managedFields"));
        } else {
            for (String path : kept) {
                Json.set(after, path, Json.at(before, path));
            }
        }
        ObjectNode metadata = Meta.of(after);
        metadata.remove("selfLink");
        MetadataRules.keepDeletion(before, metadata);
        Json.set(metadata, "generation", before.at("/metadata/generation"));
        metadata.put("creationTimestamp", Meta.text(before, "creationTimestamp"));
        if (Meta.uid(after).isEmpty()) {
            metadata.put("uid", Meta.uid(before));
        }
        metadata.put("resourceVersion", Meta.resourceVersion(before));
        tidy(type, after);
        TypeRules.setDefaults(type, before, after, now);
        if (type.has(Trait.COUNTS_GENERATIONS)
                && !request.subresource().equals("status")
                && TypeRules.specChanged(type, before, after)) {
            metadata.put(
                    "generation", before.path("metadata").path("generation").asInt() + 1);
        }
        return after;
    }

    /** Refuses an object that its type's rules do not allow. */
    static void judge(ResourceRequest request, @Nullable ObjectNode before, ObjectNode after, List<String> warnings) {
        ResourceType type = request.type();
        List<Cause> causes = MetadataRules.judge(type, after);
        if (before != null) {
            causes.addAll(MetadataRules.judgeUpdate(before, after));
        }
        causes.addAll(TypeRules.judge(type, before, after, warnings));
        if (request.subresource().equals("ephemeralcontainers") && before != null) {
            PodSubresources.judgeDebugging(before, after, causes);
        } else if (before != null) {
            causes.addAll(TypeRules.judgeUpdate(type, before, after));
        }
        if (!causes.isEmpty()) {
            throw request.invalid(Meta.name(after), causes);
        }
    }

    /** Takes away what is empty and counts for nothing. */
    static void tidy(ResourceType type, ObjectNode object) {
        Empties.drop(object.path("metadata"), type.schema().at("metadata"));
        if (!type.isCustom()) {
            Empties.drop(object, type.schema());
        }
        if (type.groupResource().equals(Definitions.CRDS)) {
            for (JsonNode version : object.at("/spec/versions")) {
                Empties.dropFromSchema(version.at("/schema/openAPIV3Schema"));
            }
        }
    }
}

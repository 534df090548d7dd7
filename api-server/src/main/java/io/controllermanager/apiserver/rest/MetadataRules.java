package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.validation.BuiltInRules;
import io.controllermanager.apiserver.validation.LabelRules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What names, labels and other metadata may be (apimachinery, api/validation/objectmeta.go). */
final class MetadataRules {

    private static final Set<String> STANDARD_FINALIZERS = Set.of("orphan", "foregroundDeletion", "kubernetes");
    private static final Set<String> TAKE_ANY_FINALIZER = Set.of("apiextensions.k8s.io", "coordination.k8s.io");

    private static final int LARGEST_ANNOTATIONS = 256 * 1024;

    private MetadataRules() {}

    static List<Cause> judge(ResourceType type, ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        name(type, Meta.name(object), causes);
        LabelRules.labels("metadata.labels", Meta.labels(object), causes);
        int size = 0;
        for (Map.Entry<String, JsonNode> annotation :
                object.path("metadata").path("annotations").properties()) {
            LabelRules.key("metadata.annotations", annotation.getKey().toLowerCase(Locale.ROOT), causes);
            size += (annotation.getKey() + annotation.getValue().asText()).getBytes(StandardCharsets.UTF_8).length;
        }
        if (size > LARGEST_ANNOTATIONS) {
            causes.add(Cause.tooLong("metadata.annotations", LARGEST_ANNOTATIONS));
        }
        finalizers(type, Meta.finalizers(object), causes);
        owners(object, causes);
        return causes;
    }

    /** Most built-in types take no finalizer without a domain; custom ones do (core/validation, ValidateObjectMeta). */
    private static void finalizers(ResourceType type, List<String> finalizers, List<Cause> causes) {
        if (finalizers.containsAll(List.of("orphan", "foregroundDeletion"))) {
            String why = "finalizer orphan and foregroundDeletion cannot be both set";
            causes.add(Cause.invalid("metadata.finalizers", finalizers, why));
        }
        boolean anyName = type.isCustom() || type.is("", "events") || TAKE_ANY_FINALIZER.contains(type.group());
        for (int i = 0; i < finalizers.size(); i++) {
            String finalizer = finalizers.get(i);
            LabelRules.key("metadata.finalizers", finalizer, causes);
            if (!anyName && !finalizer.contains("/") && !STANDARD_FINALIZERS.contains(finalizer)) {
                String why = "name is neither a standard finalizer name nor is it fully qualified";
                causes.add(Cause.invalid("metadata.finalizers[" + i + "]", finalizer, why));
            }
        }
    }

    private static void name(ResourceType type, String name, List<Cause> causes) {
        if (name.isEmpty()) {
            causes.add(Cause.required("metadata.name", "name or generateName is required"));
        } else if (type.group().equals("rbac.authorization.k8s.io")) {
            if (name.contains("/") || name.contains("%")) {
                causes.add(Cause.invalid("metadata.name", name, "may not contain '/' or '%'"));
            }
        } else {
            boolean isLabel = type.is("", "namespaces") || type.is("", "services");
            BuiltInRules.judge(isLabel ? "label" : "subdomain", "metadata.name", Json.text(name), causes);
        }
    }

    private static void owners(ObjectNode object, List<Cause> causes) {
        int controllers = 0;
        List<JsonNode> owners = Meta.ownerReferences(object);
        for (JsonNode owner : owners) {
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (owner.path(field).asText("").isEmpty()) {
                    causes.add(Cause.invalid("metadata.ownerReferences." + field, "", "must not be empty"));
                }
            }
            if (Json.fits(owner, "kind=Event?apiVersion=v1")) {
                String why = "/v1, Kind=Event is disallowed from being an owner";
                causes.add(Cause.invalid("metadata.ownerReferences", owner, why));
            }
            controllers += owner.path("controller").asBoolean() ? 1 : 0;
        }
        if (controllers > 1) {
            String why = "Only one reference can have Controller set to true. Found \"true\" in references";
            causes.add(Cause.invalid("metadata.ownerReferences", owners.toString(), why));
        }
    }

    /** Keeps what tells that an object goes, where a client leaves it out. */
    static void keepDeletion(ObjectNode before, ObjectNode metadata) {
        for (String field : List.of("deletionTimestamp", "deletionGracePeriodSeconds")) {
            boolean isTime = field.equals("deletionTimestamp");
            if (!metadata.has(field) || (isTime && Meta.isBeingDeleted(before))) {
                Json.set(metadata, field, before.path("metadata").path(field));
            }
        }
    }

    /** What an update may not change of the metadata. */
    static List<Cause> judgeUpdate(ObjectNode before, ObjectNode after) {
        List<Cause> causes = new ArrayList<>();
        for (String field : List.of("uid", "deletionTimestamp", "deletionGracePeriodSeconds")) {
            JsonNode is = after.path("metadata").path(field);
            if (!before.path("metadata").path(field).equals(is)) {
                causes.add(Cause.invalid("metadata." + field, is, "field is immutable"));
            }
        }
        if (Meta.isBeingDeleted(before)) {
            List<String> added = new ArrayList<>(Meta.finalizers(after));
            added.removeAll(Meta.finalizers(before));
            if (!added.isEmpty()) {
                String why = "no new finalizers can be added if the object is being deleted, found new finalizers ";
                String shown = "[]string{\"" + String.join("\", \"", added) + "\"}";
                causes.add(Cause.forbidden("metadata.finalizers", why + shown));
            }
        }
        return causes;
    }
}

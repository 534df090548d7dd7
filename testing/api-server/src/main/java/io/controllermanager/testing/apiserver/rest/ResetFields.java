package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a write leaves as it was, and so gives nobody to manage (the registries' GetResetFields). */
final class ResetFields {

    /** Built-in types whose status takes nothing of the metadata, as that of custom ones. */
    private static final Set<String> STATUS_ALONE = Set.of(
            "flowschemas.flowcontrol.apiserver.k8s.io",
            "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
            "resourceclaims.resource.k8s.io",
            "servicecidrs.networking.k8s.io",
            "validatingadmissionpolicies.admissionregistration.k8s.io",
            "volumeattachments.storage.k8s.io");

    private ResetFields() {}

    /** Paths such as {@code metadata.labels}. */
    static List<String> of(ResourceType type, String subresource) {
        if (!subresource.equals("status")) {
            return subresource.isEmpty() && type.status() ? List.of("status") : List.of();
        }
        if (type.isCustom() || STATUS_ALONE.contains(type.groupResource())) {
            return List.of("spec", "metadata");
        }
        return switch (type.groupResource()) {
            case "deployments.apps" -> List.of("spec", "metadata.labels");
            case "pods" -> List.of("spec", "metadata.ownerReferences");
            default -> List.of("spec");
        };
    }

    /** The same paths as {@code managedFields} has them. */
    static List<List<String>> managed(ResourceType type, String subresource) {
        return of(type, subresource).stream()
                .map(path -> Arrays.stream(path.split("\\.", -1))
                        .map(name -> "f:" + name)
                        .toList())
                .toList();
    }

    /** Brings back what was at a path. */
    static void restore(String path, ObjectNode before, ObjectNode after) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            replace(after, path, before.get(path));
        } else {
            String parent = path.substring(0, dot);
            String field = path.substring(dot + 1);
            replace(Json.child(after, parent), field, before.path(parent).get(field));
        }
    }

    /** Sets a field to a copy of a value; null takes it away. */
    static void replace(ObjectNode object, String field, @Nullable JsonNode value) {
        if (value == null) {
            object.remove(field);
        } else {
            object.set(field, value.deepCopy());
        }
    }
}

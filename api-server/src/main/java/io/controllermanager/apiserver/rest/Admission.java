package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.List;
import java.util.function.Supplier;

/**
 * What kube-apiserver's default admission plugins add to an object that is created (kubernetes, plugin/pkg/admission). Nobody
 * manages it. Unlike them this refuses nothing: a Pod may name a ServiceAccount that is not there.
 *
 * @param suffixes what comes after the name of a volume
 */
record Admission(Store store, Supplier<String> suffixes) {

    private static final JsonNode ADDED = Json.resource(Admission.class, "admission.yaml");

    void admit(ResourceType type, ObjectNode object) {
        String finalizer = ADDED.path("finalizers").path(type.groupResource()).asText();
        if (!finalizer.isEmpty() && !Meta.finalizers(object).contains(finalizer)) {
            Meta.changeFinalizers(object, List.of(), finalizer);
        } else if (type.is("", "pods")) {
            admit(object, Json.child(object, "spec"));
        }
    }

    private void admit(ObjectNode pod, ObjectNode spec) {
        String account = spec.path("serviceAccountName").asText("default");
        spec.put("serviceAccountName", account).put("serviceAccount", account);
        StoredObject stored = store.get(new Key("serviceaccounts", Meta.namespace(pod), account));
        JsonNode mounts = spec.has("automountServiceAccountToken") || stored == null ? spec : stored.tree();
        if (mounts.path("automountServiceAccountToken").asBoolean(true)) {
            mountToken(spec);
        }
        int priority = priority(spec.path("priorityClassName").asText(""));
        spec.putIfAbsent("priority", IntNode.valueOf(priority));
        spec.putIfAbsent("preemptionPolicy", Json.text("PreemptLowerPriority"));
        for (JsonNode toleration : ADDED.path("tolerations")) {
            String tolerates = "key=|" + toleration.path("key").asText() + "?effect=|NoExecute";
            if (!Json.anyFits(spec.path("tolerations"), tolerates)) {
                spec.withArray("tolerations").add(toleration.deepCopy());
            }
        }
    }

    private void mountToken(ObjectNode spec) {
        ObjectNode volume = ADDED.path("volume").deepCopy();
        String name = Json.list(spec.path("volumes")).stream()
                .map(known -> known.path("name").asText())
                .filter(known -> known.startsWith(volume.path("name").asText()))
                .findFirst()
                .orElse("");
        boolean isNew = name.isEmpty();
        volume.put("name", isNew ? volume.path("name").asText() + suffixes.get() : name);
        boolean needed = false;
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : spec.path(list)) {
                ObjectNode mount = ADDED.path("mount").deepCopy();
                String path = mount.path("mountPath").asText();
                if (Json.list(container.path("volumeMounts")).stream()
                        .noneMatch(known -> known.path("mountPath").asText().equals(path))) {
                    ((ObjectNode) container).withArray("volumeMounts").add(mount.set("name", volume.path("name")));
                    needed = true;
                }
            }
        }
        if (isNew && needed) {
            spec.withArray("volumes").add(volume);
        }
    }

    private int priority(String name) {
        StoredObject known = store.get(new Key("priorityclasses.scheduling.k8s.io", "", name));
        return known == null ? 0 : known.tree().path("value").asInt();
    }
}

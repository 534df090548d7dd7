package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.storage.Key;
import java.util.Map;
import java.util.function.Supplier;

/** What the server makes itself: its own Service (kubernetes, pkg/controlplane/controller/kubernetesservice) and the like. */
public final class OwnObjects {

    private OwnObjects() {}

    /** Makes them. */
    public static void create(Commits commits, Supplier<String> uids) {
        JsonNode resources = Json.resource(OwnObjects.class, "own-objects.yaml");
        for (Map.Entry<String, JsonNode> resource : resources.properties()) {
            for (JsonNode object : resource.getValue()) {
                Meta.of((ObjectNode) object).put("uid", uids.get()).put("creationTimestamp", commits.now());
                Key key = new Key(resource.getKey(), Meta.namespace(object), Meta.name(object));
                commits.put(key, null, (ObjectNode) object);
            }
        }
    }
}

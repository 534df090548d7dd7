package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.storage.Key;
import java.util.function.Supplier;

/** The Service {@code default/kubernetes} (kubernetes, pkg/controlplane/controller/kubernetesservice). */
public final class KubernetesService {

    private KubernetesService() {}

    /** Makes it, and its Endpoints. */
    public static void create(Commits commits, Supplier<String> uids) {
        Json.resource(KubernetesService.class, "kubernetes-service.yaml")
                .properties()
                .forEach(entry -> {
                    ObjectNode object = (ObjectNode) entry.getValue();
                    Meta.of(object).put("uid", uids.get()).put("creationTimestamp", commits.now());
                    commits.put(new Key(entry.getKey(), "default", "kubernetes"), null, object);
                });
    }
}

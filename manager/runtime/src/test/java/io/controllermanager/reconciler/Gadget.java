package io.controllermanager.reconciler;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.time.Clock;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A custom resource whose controller makes a ConfigMap for each part. */
@CustomResource(group = "example.com", version = "v1")
final class Gadget extends CustomObject<Gadget.Spec, Gadget.Status> {

    static final ResourceType<Gadget> TYPE = ResourceType.of(Gadget.class);

    /**
     * What is wanted.
     *
     * @param size goes into each part
     * @param parts a ConfigMap each
     * @param config the name of a ConfigMap to copy, null for none
     */
    record Spec(String size, List<String> parts, @Nullable String config) {}

    /** What the controller found. */
    record Status(
            @Nullable Long observedGeneration,
            @Nullable Integer parts,
            @Nullable List<V1Condition> conditions) {}

    static Gadget named(String namespace, String name, Spec spec) {
        Gadget gadget = new Gadget();
        gadget.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        gadget.setSpec(spec);
        return gadget;
    }

    /** Has the type served, with a status of its own. */
    static void install(ApiClient client) throws ApiException {
        new ResourceClient<>(client, ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                .patch(null, "gadgets.example.com", new Patch.Apply(new Gson().toJson(crd()), "test", true));
        await().until(() -> new ApiDiscovery(client, Clock.system()).hasStatusSubresource(TYPE));
    }

    static Map<String, Object> crd() {
        Map<String, Object> anything = Map.of("type", "object", "x-kubernetes-preserve-unknown-fields", true);
        return Map.of(
                "apiVersion",
                "apiextensions.k8s.io/v1",
                "kind",
                "CustomResourceDefinition",
                "metadata",
                Map.of("name", "gadgets.example.com"),
                "spec",
                Map.of(
                        "group",
                        "example.com",
                        "scope",
                        "Namespaced",
                        "names",
                        Map.of("kind", "Gadget", "plural", "gadgets"),
                        "versions",
                        List.of(Map.of(
                                "name",
                                "v1",
                                "served",
                                true,
                                "storage",
                                true,
                                "subresources",
                                Map.of("status", Map.of()),
                                "schema",
                                Map.of(
                                        "openAPIV3Schema",
                                        Map.of(
                                                "type",
                                                "object",
                                                "properties",
                                                Map.of("spec", anything, "status", anything)))))));
    }
}

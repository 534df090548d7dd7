package io.controllermanager.test;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks for a ConfigMap with a text, and for an entry in the guest book. */
@CustomResource(group = "example.com", version = "v1")
final class Greeting extends CustomObject<Greeting.Spec, Greeting.Status> {

    static final ResourceType<Greeting> TYPE = ResourceType.of(Greeting.class);

    record Spec(String configMapName, String text) {}

    record Status(
            @Nullable String configMap,
            @Nullable String checkedAt,
            @Nullable List<V1Condition> conditions) {}

    Greeting() {}

    Greeting(String name, String configMapName, String text) {
        setMetadata(new V1ObjectMeta().namespace("default").name(name));
        setSpec(new Spec(configMapName, text));
    }
}

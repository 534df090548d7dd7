package com.example.website;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page that is served under a host name. */
@CustomResource(group = "example.com", version = "v1")
public final class Website extends CustomObject<Website.Spec, Website.Status> {

    static final ResourceType<Website> TYPE = ResourceType.of(Website.class);

    /**
     * What is wanted.
     *
     * @param replicas the API server fills in the CRD's default
     * @param tlsSecretName null for HTTP alone
     */
    public record Spec(
            String host,
            String html,
            int replicas,
            @Nullable String tlsSecretName) {}

    /** What the controller found. */
    public record Status(
            @Nullable Long observedGeneration, @Nullable List<V1Condition> conditions) {}
}

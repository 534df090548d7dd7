package io.controllermanager.foo;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.PrinterColumn;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * Foo asks for a Deployment of nginx.
 */
@CustomResource(
        group = "samplecontroller.k8s.io",
        version = "v1alpha1",
        // Groups under k8s.io are protected (KEP-2337).
        annotations = "api-approved.kubernetes.io=unapproved, experimental-only")
@PrinterColumn(
        name = "Deployment",
        description = "The Deployment that the Foo asks for",
        jsonPath = ".spec.deploymentName")
@PrinterColumn(name = "Replicas", description = "How many replicas it asks for", jsonPath = ".spec.replicas")
@PrinterColumn(
        name = "Available",
        description = "How many of them are available",
        jsonPath = ".status.availableReplicas")
public final class Foo extends CustomObject<@Nullable FooSpec, FooStatus> {

    /** How Foos are named in URLs. */
    public static final ResourceType<Foo> TYPE = ResourceType.of(Foo.class);

    /** A Foo without anything, for Gson. */
    public Foo() {}

    /** A Foo without status. */
    public Foo(V1ObjectMeta metadata, FooSpec spec) {
        setMetadata(metadata);
        setSpec(spec);
    }

    /** The wanted name of the Deployment, empty if the Foo has none. */
    public String deploymentName() {
        String name = spec() == null ? null : spec().deploymentName();
        return name == null ? "" : name;
    }

    /** The wanted number of replicas, null if the Foo leaves it to others. */
    @Nullable
    public Integer replicas() {
        return spec() == null ? null : spec().replicas();
    }

    /** The number of available replicas that the status tells, null if it tells none. */
    @Nullable
    public Integer availableReplicas() {
        return status() == null ? null : status().availableReplicas();
    }
}

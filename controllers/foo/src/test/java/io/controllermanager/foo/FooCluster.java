package io.controllermanager.foo;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.Cluster;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** A cluster in which a user works with Foos and Deployments. */
final class FooCluster extends Cluster {

    private final ResourceClient<Foo> foos;
    private final ResourceClient<V1Deployment> deployments;

    FooCluster(TestedServer server) {
        super(server);
        this.foos = new ResourceClient<>(user(), Foo.TYPE);
        this.deployments = new ResourceClient<>(user(), ResourceTypes.DEPLOYMENT);
    }

    ResourceClient<Foo> foos() {
        return foos;
    }

    ResourceClient<V1Deployment> deployments() {
        return deployments;
    }

    Foo createFoo(String namespace, String name, @Nullable String deploymentName, @Nullable Integer replicas)
            throws ApiException {
        return foos.create(
                new Foo(new V1ObjectMeta().namespace(namespace).name(name), new FooSpec(deploymentName, replicas)));
    }

    Foo foo(String namespace, String name) throws ApiException {
        Foo foo = foos.get(namespace, name);
        if (foo == null) {
            throw new AssertionError("no Foo " + namespace + "/" + name);
        }
        return foo;
    }

    Foo patchFoo(String namespace, String name, String mergePatch) throws ApiException {
        return foos.patch(namespace, name, new Patch.Merge(mergePatch));
    }

    V1Deployment deployment(String namespace, String name) throws ApiException {
        V1Deployment deployment = deployments.get(namespace, name);
        if (deployment == null) {
            throw new AssertionError("no Deployment " + namespace + "/" + name);
        }
        return deployment;
    }

    V1Deployment patchDeployment(String namespace, String name, String mergePatch) throws ApiException {
        return deployments.patch(namespace, name, new Patch.Merge(mergePatch));
    }

    /** Plays the Deployment controller. */
    void setAvailableReplicas(String namespace, String name, int available) throws ApiException {
        deployments.patchStatus(
                namespace,
                name,
                new Patch.Merge("{\"status\":{\"replicas\":%d,\"readyReplicas\":%d,\"availableReplicas\":%d}}"
                        .formatted(available, available, available)));
    }
}

package io.controllermanager.benchmarks.throughput;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.foo.Foo;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The same work as the peers on our machinery: one Deployment for each Foo, and nothing else. */
public final class CreateOnly {

    private CreateOnly() {}

    /** Runs until killed; the argument is how many keys are reconciled at once. */
    public static void main(String[] args) throws InterruptedException {
        int workers = Integer.parseInt(args[0]);
        Clock clock = Clock.system();
        SystemTimer timer = new SystemTimer("create-only-timer");
        ApiConnection connection = ApiConnection.builder(clock, timer).build();
        connection.connect(new ApiAccessResolver().resolve(null, null));
        ControllerDescriptor descriptor = ControllerDescriptor.named("create-only")
                .forType(Foo.TYPE)
                .owns(ResourceTypes.DEPLOYMENT)
                .options(ControllerOptions.DEFAULTS.withWorkers(workers).withNeedsLeaderElection(false))
                .reconcilerFactory(CreateOnly::reconciler)
                .build();
        InformerFactory informers = new InformerFactory(connection, clock, timer, InformerOptions.DEFAULTS);
        ControllerManager manager = new ControllerManager(HostParts.of(
                Leadership.always(connection.apiClient()),
                new Cluster(informers, connection.monitor()),
                List.of(ControllerRegistration.of(descriptor)),
                new EventBroadcaster(connection.apiClient(), clock, "create-only")::recorder,
                clock,
                timer));
        Runtime.getRuntime().addShutdownHook(new Thread(manager::stop, "create-only-shutdown"));
        manager.start();
        // The manager's threads are daemons: the process is the caller's to keep.
        new CountDownLatch(1).await();
    }

    private static Reconciler reconciler(ControllerContext context) {
        Lister<Foo> foos = context.informer(Foo.TYPE).lister();
        Lister<V1Deployment> deployments =
                context.informer(ResourceTypes.DEPLOYMENT).lister();
        ResourceClient<V1Deployment> client = new ResourceClient<>(context.apiClient(), ResourceTypes.DEPLOYMENT);
        return request -> {
            Foo foo = foos.namespace(request.getNamespace()).get(request.getName());
            if (foo == null) {
                return new Result(false);
            }
            String name = foo.deploymentName();
            if (deployments.namespace(request.getNamespace()).get(name) == null) {
                try {
                    client.create(deploymentFor(foo, name));
                } catch (ApiException e) {
                    throw new IllegalStateException(e);
                }
            }
            return new Result(false);
        };
    }

    private static V1Deployment deploymentFor(Foo foo, String name) {
        Map<String, String> labels =
                Map.of("app", "nginx", "controller", foo.getMetadata().getName());
        return new V1Deployment()
                .apiVersion("apps/v1")
                .kind("Deployment")
                .metadata(new V1ObjectMeta()
                        .name(name)
                        .namespace(foo.getMetadata().getNamespace())
                        .addOwnerReferencesItem(new V1OwnerReference()
                                .apiVersion("samplecontroller.k8s.io/v1alpha1")
                                .kind("Foo")
                                .name(foo.getMetadata().getName())
                                .uid(foo.getMetadata().getUid())
                                .controller(true)
                                .blockOwnerDeletion(true)))
                .spec(new V1DeploymentSpec()
                        .replicas(foo.replicas())
                        .selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(labels))
                                .spec(new V1PodSpec()
                                        .addContainersItem(
                                                new V1Container().name("nginx").image("nginx:latest")))));
    }
}

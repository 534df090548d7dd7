package peer;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.ControllerManager;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentList;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.util.Map;

/**
 * Creates one Deployment for each Foo, perhaps its status and an Event, and nothing else, on client-java's informers, queue
 * and controller as they come.
 */
public final class Main {

    private Main() {}

    /**
     * Runs until killed; the first argument is how many keys are reconciled at once, the second, {@code all-writes}, may be
     * missing.
     */
    public static void main(String[] args) throws Exception {
        ApiClient client = Config.defaultClient();
        client.setReadTimeout(0);
        SharedInformerFactory informers = new SharedInformerFactory(client);
        SharedIndexInformer<Foo> foos = informers.sharedIndexInformerFor(
                new GenericKubernetesApi<>(
                        Foo.class, FooList.class, "samplecontroller.k8s.io", "v1alpha1", "foos", client),
                Foo.class,
                0);
        SharedIndexInformer<V1Deployment> deployments = informers.sharedIndexInformerFor(
                new GenericKubernetesApi<>(
                        V1Deployment.class, V1DeploymentList.class, "apps", "v1", "deployments", client),
                V1Deployment.class,
                0);
        Controller controller = ControllerBuilder.defaultBuilder(informers)
                .watch(queue -> ControllerBuilder.controllerWatchBuilder(Foo.class, queue)
                        .build())
                .watch(queue -> ControllerBuilder.controllerWatchBuilder(V1Deployment.class, queue)
                        .withWorkQueueKeyFunc(deployment -> new Request(
                                deployment.getMetadata().getNamespace(),
                                deployment.getMetadata().getOwnerReferences().get(0).getName()))
                        .build())
                .withReadyFunc(() -> foos.hasSynced() && deployments.hasSynced())
                .withWorkerCount(Integer.parseInt(args[0]))
                .withReconciler(new Creator(
                        new Lister<>(foos.getIndexer()),
                        new Lister<>(deployments.getIndexer()),
                        new AppsV1Api(client),
                        args.length > 1 && args[1].equals("all-writes") ? new Report(client) : null))
                .withName("create-only")
                .build();
        ControllerManager manager = ControllerBuilder.controllerManagerBuilder(informers)
                .addController(controller)
                .build();
        manager.run();
    }

    /** The report is null if the Deployment is all that is to be written. */
    private record Creator(Lister<Foo> foos, Lister<V1Deployment> deployments, AppsV1Api api, Report report)
            implements Reconciler {

        @Override
        public Result reconcile(Request request) {
            Foo foo = foos.namespace(request.getNamespace()).get(request.getName());
            if (foo == null) {
                return new Result(false);
            }
            String name = foo.deploymentName();
            if (deployments.namespace(request.getNamespace()).get(name) == null) {
                try {
                    V1Deployment deployment = api.createNamespacedDeployment(
                                    request.getNamespace(), deploymentFor(foo, name))
                            .execute();
                    if (report != null) {
                        report.write(foo, deployment);
                    }
                } catch (ApiException e) {
                    throw new IllegalStateException(e);
                }
            }
            return new Result(false);
        }
    }

    private static V1Deployment deploymentFor(Foo foo, String name) {
        Map<String, String> labels = Map.of("app", "nginx", "controller", foo.getMetadata().getName());
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

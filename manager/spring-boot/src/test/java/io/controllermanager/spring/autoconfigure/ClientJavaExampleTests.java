package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.informer.Informer;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.builder.DefaultControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1EndpointsList;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application made as client-java's Spring example is: three informers as beans, a controller by its builder, a
 * reconciler that reads from listers, and a runner that starts the informers and runs the controller itself. It knows
 * nothing of this project.
 */
@RealControlPlane
class ClientJavaExampleTests {

    private final ControlPlane plane;

    @TempDir
    private Path folder = Path.of("");

    ClientJavaExampleTests(ControlPlane plane) {
        this.plane = plane;
    }

    @Test
    void runsUnchangedOnThisPipeline() throws Exception {
        String namespace = plane.createNamespace("example");
        CoreV1Api core = new CoreV1Api(Config.fromConfig(plane.kubeconfigFile().toString()));
        core.createNamespacedPod(namespace, pod("listed")).execute();
        core.createNode(new V1Node().metadata(new V1ObjectMeta().name("there-before")))
                .execute();
        Path kubeconfig =
                Files.writeString(folder.resolve("kubeconfig"), plane.kubeconfigFor("example", "system:masters"));
        SpringApplication application = new SpringApplication(Example.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(
                "--spring.main.banner-mode=off",
                "--namespace=" + namespace,
                "--controller-manager.kubeconfig=" + kubeconfig,
                "--controller-manager.leader-election.enabled=false")) {
            NodePrintingReconciler reconciler = context.getBean(NodePrintingReconciler.class);
            await("the node has been printed").until(() -> reconciler.printed.contains("there-before with [listed]"));

            core.createNode(new V1Node().metadata(new V1ObjectMeta().name("new")))
                    .execute();
            await("the new node has been printed").until(() -> reconciler.printed.contains("new with [listed]"));

            await("the runner's own run() has come back without workers")
                    .until(() -> context.getBean(Ended.class).latch.getCount() == 0);
            ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
            assertThat(host.controllers())
                    .extracting(ControllerStatus::name, ControllerStatus::workers)
                    .containsExactly(org.assertj.core.api.Assertions.tuple("nodeprintingcontroller", 2));
            assertThat(host.informers())
                    .hasSize(3)
                    .allMatch(InformerStatus::synced)
                    .extracting(InformerStatus::resource)
                    .containsExactly("endpoints/v1", "nodes/v1", "pods/v1");
            assertThat(context.getBeansOfType(SharedIndexInformer.class).values())
                    .hasSize(3)
                    .allMatch(Informer.class::isInstance);
            for (String resource : List.of("endpoints", "nodes", "pods")) {
                await("its watch is in the audit log").until(() -> audited("watch", resource) == 1);
                assertThat(audited("list", resource)).as("lists of " + resource).isEqualTo(1);
            }
        }
    }

    /** How many requests the example has made. */
    private long audited(String verb, String resource) throws IOException {
        try (var lines = Files.lines(plane.auditLog())) {
            return lines.filter(line -> line.contains("\"username\":\"example\""))
                    .filter(line -> line.contains("\"stage\":\"RequestReceived\"")
                            || line.contains("\"stage\":\"ResponseStarted\"")
                            || line.contains("\"stage\":\"ResponseComplete\""))
                    .filter(line -> line.contains("\"verb\":\"" + verb + "\"")
                            && line.contains("\"resource\":\"" + resource + "\""))
                    .map(line -> line.replaceAll(".*\"auditID\":\"([^\"]+)\".*", "$1"))
                    .distinct()
                    .count();
        }
    }

    private static V1Pod pod(String name) {
        return new V1Pod()
                .metadata(new V1ObjectMeta().name(name))
                .spec(new V1PodSpec()
                        // Which its class begins with, and the API server refuses.
                        .overhead(null)
                        .addContainersItem(new V1Container().name("c").image("none")));
    }

    /** Counted down when the example's runner has come to its end. */
    static final class Ended {
        final CountDownLatch latch = new CountDownLatch(1);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Example {

        @Bean
        Ended ended() {
            return new Ended();
        }

        @Bean
        CommandLineRunner runner(SharedInformerFactory informers, Controller nodePrintingController, Ended ended) {
            return args -> {
                informers.startAllRegisteredInformers();
                nodePrintingController.run();
                ended.latch.countDown();
            };
        }

        @Bean
        Controller nodePrintingController(SharedInformerFactory informers, NodePrintingReconciler reconciler) {
            DefaultControllerBuilder builder = ControllerBuilder.defaultBuilder(informers);
            builder = builder.watch(queue -> ControllerBuilder.controllerWatchBuilder(V1Node.class, queue)
                    .withResyncPeriod(Duration.ofMinutes(1))
                    .build());
            builder.withWorkerCount(2);
            builder.withReadyFunc(reconciler::informerReady);
            return builder.withReconciler(reconciler)
                    .withName("nodePrintingController")
                    .build();
        }

        @Bean
        SharedIndexInformer<V1Endpoints> endpointsInformer(ApiClient client, SharedInformerFactory informers) {
            return informers.sharedIndexInformerFor(
                    new GenericKubernetesApi<>(V1Endpoints.class, V1EndpointsList.class, "", "v1", "endpoints", client),
                    V1Endpoints.class,
                    0);
        }

        @Bean
        SharedIndexInformer<V1Node> nodeInformer(ApiClient client, SharedInformerFactory informers) {
            return informers.sharedIndexInformerFor(
                    new GenericKubernetesApi<>(V1Node.class, V1NodeList.class, "", "v1", "nodes", client),
                    V1Node.class,
                    60_000);
        }

        @Bean
        SharedIndexInformer<V1Pod> podInformer(ApiClient client, SharedInformerFactory informers) {
            return informers.sharedIndexInformerFor(
                    new GenericKubernetesApi<>(V1Pod.class, V1PodList.class, "", "v1", "pods", client), V1Pod.class, 0);
        }

        @Bean
        NodePrintingReconciler nodePrintingReconciler(
                @Value("${namespace}") String namespace,
                SharedIndexInformer<V1Node> nodeInformer,
                SharedIndexInformer<V1Pod> podInformer) {
            return new NodePrintingReconciler(namespace, nodeInformer, podInformer);
        }
    }

    /** Prints the pods of a namespace for each node. */
    static class NodePrintingReconciler implements Reconciler {

        final Queue<String> printed = new ConcurrentLinkedQueue<>();
        private final String namespace;
        private final SharedIndexInformer<V1Node> nodeInformer;
        private final SharedIndexInformer<V1Pod> podInformer;
        private final Lister<V1Node> nodes;
        private final Lister<V1Pod> pods;

        NodePrintingReconciler(
                String namespace, SharedIndexInformer<V1Node> nodeInformer, SharedIndexInformer<V1Pod> podInformer) {
            this.namespace = namespace;
            this.nodeInformer = nodeInformer;
            this.podInformer = podInformer;
            this.nodes = new Lister<>(nodeInformer.getIndexer());
            this.pods = new Lister<>(podInformer.getIndexer());
        }

        boolean informerReady() {
            return podInformer.hasSynced() && nodeInformer.hasSynced();
        }

        @Override
        public Result reconcile(Request request) {
            V1Node node = nodes.get(request.getName());
            List<String> names = pods.namespace(namespace).list().stream()
                    .map(pod -> pod.getMetadata().getName())
                    .toList();
            printed.add(node.getMetadata().getName() + " with " + names);
            return new Result(false);
        }
    }
}

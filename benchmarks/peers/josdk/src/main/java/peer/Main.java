package peer;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;

/** Creates one Deployment for each Foo and nothing else, on the Java Operator SDK. */
public final class Main {

    private Main() {}

    /** Runs until killed; the first argument is how many keys are reconciled at once. */
    public static void main(String[] args) {
        int workers = Integer.parseInt(args[0]);
        Operator operator = new Operator(configuration -> configuration.withConcurrentReconciliationThreads(workers));
        operator.register(new Creator());
        operator.start();
    }

    /** The reconciler. */
    @ControllerConfiguration
    public static final class Creator implements Reconciler<Foo> {

        @Override
        public List<EventSource<?, Foo>> prepareEventSources(EventSourceContext<Foo> context) {
            return List.of(new InformerEventSource<>(
                    InformerEventSourceConfiguration.from(Deployment.class, Foo.class)
                            .build(),
                    context));
        }

        @Override
        public UpdateControl<Foo> reconcile(Foo foo, Context<Foo> context) {
            if (context.getSecondaryResource(Deployment.class).isEmpty()) {
                context.getClient().resource(deploymentFor(foo)).create();
            }
            return UpdateControl.noUpdate();
        }
    }

    private static Deployment deploymentFor(Foo foo) {
        Map<String, String> labels = Map.of("app", "nginx", "controller", foo.getMetadata().getName());
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(foo.getSpec().deploymentName)
                .withNamespace(foo.getMetadata().getNamespace())
                .addNewOwnerReference()
                .withApiVersion("samplecontroller.k8s.io/v1alpha1")
                .withKind("Foo")
                .withName(foo.getMetadata().getName())
                .withUid(foo.getMetadata().getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withReplicas(foo.getSpec().replicas)
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("nginx")
                .withImage("nginx:latest")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}

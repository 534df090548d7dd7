package peer;

import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Creates one Deployment for each Foo, perhaps its status and an Event, and nothing else, on the Java Operator SDK. */
public final class Main {

    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private Main() {}

    /**
     * Runs until killed; the first argument is how many keys are reconciled at once, the second, {@code all-writes}, may be
     * missing.
     */
    public static void main(String[] args) {
        int workers = Integer.parseInt(args[0]);
        Operator operator = new Operator(configuration -> configuration.withConcurrentReconciliationThreads(workers));
        operator.register(new Creator(args.length > 1 && args[1].equals("all-writes")));
        operator.start();
    }

    /** The reconciler. */
    @ControllerConfiguration
    public static final class Creator implements Reconciler<Foo> {

        private final boolean allWrites;

        Creator(boolean allWrites) {
            this.allWrites = allWrites;
        }

        @Override
        public List<EventSource<?, Foo>> prepareEventSources(EventSourceContext<Foo> context) {
            return List.of(new InformerEventSource<>(
                    InformerEventSourceConfiguration.from(Deployment.class, Foo.class)
                            .build(),
                    context));
        }

        @Override
        public UpdateControl<Foo> reconcile(Foo foo, Context<Foo> context) {
            if (context.getSecondaryResource(Deployment.class).isPresent()) {
                return UpdateControl.noUpdate();
            }
            Deployment deployment =
                    context.getClient().resource(deploymentFor(foo)).create();
            if (!allWrites) {
                return UpdateControl.noUpdate();
            }
            context.getClient().resource(eventFor(foo)).create();
            return UpdateControl.patchStatus(withStatus(foo, deployment));
        }
    }

    /** Of the Foo nothing but its status, since it is applied. */
    private static Foo withStatus(Foo foo, Deployment deployment) {
        Integer available = deployment.getStatus() == null ? null : deployment.getStatus().getAvailableReplicas();
        Foo.Status status = new Foo.Status();
        status.availableReplicas = available == null ? 0 : available;
        Foo applied = new Foo();
        applied.setMetadata(new ObjectMetaBuilder()
                .withName(foo.getMetadata().getName())
                .withNamespace(foo.getMetadata().getNamespace())
                .build());
        applied.setStatus(status);
        return applied;
    }

    /** As a recorder would write it; the SDK has none. */
    private static Event eventFor(Foo foo) {
        Instant now = Instant.now();
        long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, now);
        return new EventBuilder()
                .withNewMetadata()
                .withName(foo.getMetadata().getName() + "." + Long.toHexString(nanos))
                .withNamespace(foo.getMetadata().getNamespace())
                .endMetadata()
                .withEventTime(new MicroTime(MICROS.format(now)))
                .withReportingController("foo-controller")
                .withReportingInstance("josdk-peer")
                .withAction("Reconcile")
                .withReason("Synced")
                .withNote("Foo synced successfully")
                .withType("Normal")
                .withNewRegarding()
                .withApiVersion(foo.getApiVersion())
                .withKind(foo.getKind())
                .withName(foo.getMetadata().getName())
                .withNamespace(foo.getMetadata().getNamespace())
                .withUid(foo.getMetadata().getUid())
                .withResourceVersion(foo.getMetadata().getResourceVersion())
                .endRegarding()
                .build();
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

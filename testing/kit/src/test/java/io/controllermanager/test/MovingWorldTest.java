package io.controllermanager.test;

import static io.controllermanager.test.KubernetesAssertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.apiserver.world.Step;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An operator that waits for a StatefulSet, a Job and a claim, which the server's world has become ready. */
class MovingWorldTest {

    private static final String POD = """
            "containers": [{"name": "main", "image": "image:1"}]""";

    private static final String CLAIM = """
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}""";

    @Reconciles(Greeting.class)
    private static final class Operator implements ObjectReconciler<Greeting> {

        @Override
        public void describe(ControllerDescription<Greeting> d) {
            d.owns(ResourceTypes.STATEFUL_SET).owns(ResourceTypes.JOB).owns(ResourceTypes.PERSISTENT_VOLUME_CLAIM);
        }

        @Override
        public Outcome reconcile(Greeting greeting, Reconciliation<Greeting> r) throws ApiException {
            V1PersistentVolumeClaim claim =
                    r.apply(JSON.deserialize("""
                    {"metadata": {"name": "backup"}, %s}""".formatted(CLAIM), V1PersistentVolumeClaim.class));
            V1Job job = r.apply(JSON.deserialize("""
                    {"metadata": {"name": "import"},
                     "spec": {"template": {"spec": {"restartPolicy": "Never", %s}}}}""".formatted(POD), V1Job.class));
            V1StatefulSet set = r.apply(JSON.deserialize("""
                    {"metadata": {"name": "web"},
                     "spec": {"replicas": 2, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
                              "template": {"metadata": {"labels": {"app": "web"}}, "spec": {%s}},
                              "volumeClaimTemplates": [{"metadata": {"name": "data"}, %s}]}}""".formatted(POD, CLAIM), V1StatefulSet.class));
            boolean bound = claim.getStatus() != null
                    && "Bound".equals(claim.getStatus().getPhase());
            boolean imported = Optional.ofNullable(job.getStatus())
                    .map(V1JobStatus::getSucceeded)
                    .isPresent();
            int ready = Optional.ofNullable(set.getStatus())
                    .map(V1StatefulSetStatus::getReadyReplicas)
                    .orElse(0);
            return bound && imported && ready == 2
                    ? Outcome.ready("Serving", "all is there")
                    : Outcome.progressing("Waiting", bound + " " + imported + " " + ready);
        }
    }

    private static ApiServerBuilder server() {
        return ApiServer.builder().manifests("classpath:greetings.yaml").world(true);
    }

    /** Somebody who wishes for the greeting, once or again. */
    private record Wish(Duration late, boolean twice) implements Scenario {

        @Override
        public ApiServerBuilder server() {
            return MovingWorldTest.server();
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(TypedController.descriptor(new Operator()));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            stage.server().world().when(Step.READY, "Greeting", "hello").after(late);
            ResourceClient<Greeting> greetings = stage.client(Greeting.TYPE);
            greetings.create(new Greeting("hello", "hello", "Hello"));
            if (twice) {
                stage.converges();
                greetings.delete("default", "hello");
                stage.converges();
                greetings.create(new Greeting("hello", "hello", "Hello"));
            }
            stage.advance(late.multipliedBy(4));
        }
    }

    @Test
    void reachesReadyByItself() throws ApiException {
        try (ApiServer server = server().start();
                RunningManager manager = RunningManager.start(server, TypedController.descriptor(new Operator()))) {
            ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
            greetings.create(new Greeting("hello", "hello", "Hello"));

            manager.settles();

            assertThat(greetings.get("default", "hello"))
                    .hasCondition("Ready", "True")
                    .withReason("Serving");
        }
    }

    @Test
    void waitsForWhatComesLaterInVirtualTime() throws ApiException {
        try (ApiServer server = server().start();
                RunningManager manager =
                        RunningManager.startInVirtualTime(server, TypedController.descriptor(new Operator()))) {
            server.world().when(Step.COMPLETE, "Greeting", "hello").after(Duration.ofMinutes(3));
            ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
            greetings.create(new Greeting("hello", "hello", "Hello"));
            manager.settles();
            assertThat(greetings.get("default", "hello"))
                    .hasCondition("Ready", "False")
                    .withReason("Waiting");

            manager.advance(Duration.ofMinutes(3));

            assertThat(greetings.get("default", "hello"))
                    .hasCondition("Ready", "True")
                    .withReason("Serving");
        }
    }

    @Test
    void comesToTheSameEndWhenTheWorldIsSlow() {
        SameEnd.of(() -> new Wish(Duration.ofMinutes(1), false), () -> new Wish(Duration.ZERO, false))
                .check();
    }

    @Test
    void comesToTheSameEndAfterADeletion() {
        SameEnd.of(() -> new Wish(Duration.ZERO, true), () -> new Wish(Duration.ZERO, false))
                .check();
    }
}

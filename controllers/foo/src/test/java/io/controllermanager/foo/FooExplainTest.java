package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.connection.RequestTrail.Effect;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.controllermanager.controller.internal.journal.ReconcileRecord.Reason;
import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.test.RunningManager;
import io.controllermanager.workqueue.internal.Cause;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;

/** Why a Foo was reconciled, and what that wrote. */
class FooExplainTest {

    @Test
    void aChangeOfReplicasIsTheCauseAndTheWritesAreShown() throws Exception {
        try (ApiServer server = ApiServer.builder()
                        .manifests("../../config/crd/bases/samplecontroller.k8s.io_foos.yaml")
                        .start();
                RunningManager running = RunningManager.start(server, FooController.descriptor())) {
            ResourceClient<Foo> foos = new ResourceClient<>(server.client(), Foo.TYPE);
            running.converges();
            foos.create(new Foo(new V1ObjectMeta().namespace("default").name("a"), new FooSpec("web", 1)));
            running.settles();
            Foo changed = foos.get("default", "a");
            changed.setSpec(new FooSpec("web", 3));
            foos.update(changed);
            running.settles();

            KeyExplanation known = running.manager().explain("foo", new Request("default", "a"));
            assertThat(known.waits())
                    .isEqualTo("default/a waits for nothing: it is reconciled when something changes that"
                            + " concerns it. To have it reconciled at once, change its annotation"
                            + " controller-manager.io/reconcile-at.");
            ReconcileRecord scaled = known.reconciles().stream()
                    .filter(record -> record.causes().stream()
                            .anyMatch(cause -> cause.paths().contains("spec.replicas")))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(running.explain("default/a")));
            Reason cause = scaled.causes().get(0);
            assertThat(cause.kind()).isEqualTo(Cause.Kind.UPDATED);
            assertThat(cause.source()).isEqualTo("foos.samplecontroller.k8s.io/v1alpha1");
            assertThat(cause.key()).isEqualTo("default/a");
            assertThat(scaled.writes()).as(running.explain("default/a")).anySatisfy(write -> {
                assertThat(write.type()).isEqualTo("deployments.apps");
                assertThat(write.key()).isEqualTo("default/web");
                assertThat(write.effect()).isEqualTo(Effect.CHANGED);
                assertThat(write.paths()).containsExactly("spec.replicas");
            });
            ReconcileRecord created = known.reconciles().get(known.reconciles().size() - 1);
            assertThat(created.causes()).extracting(Reason::kind).containsExactly(Cause.Kind.CREATED);
            assertThat(created.writes()).anySatisfy(write -> {
                assertThat(write.type()).isEqualTo("deployments.apps");
                assertThat(write.effect()).isEqualTo(Effect.CREATED);
            });
            assertThat(running.manager().search("foo", "default")).containsExactly(new Request("default", "a"));
        }
    }
}

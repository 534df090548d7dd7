package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.internal.PriorityResult;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of an outcome, and of children that take name and labels from the description. */
class OutcomeTest {

    private static final Map<String, String> LABELS = Map.of("made-by", "test");

    /** Has one child, and comes to whatever end it is told. */
    private static final class Told implements ObjectReconciler<Gadget> {

        volatile Outcome outcome = Outcome.done();

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.CONFIG_MAP)
                    .owns(Selection.of(ResourceTypes.SECRET)
                            .labelled(LabelSelector.and(EqualityMatcher.equal("tier", "web"))))
                    .labels(LABELS);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            r.apply(new V1ConfigMap().data(Map.of("size", gadget.spec().size())));
            return outcome;
        }
    }

    @Test
    void saysWhenToComeAgainAndWhy() {
        assertThat(Outcome.blocked("SecretMissing", "there is no Secret a").again(Duration.ofSeconds(5)))
                .hasToString("SecretMissing: there is no Secret a, again after PT5S");
        assertThat(Outcome.ready("Served", "all is well")
                        .again(Duration.ofSeconds(5))
                        .toResult()
                        .getRequeueAfter())
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(Outcome.ready("Served", "all is well").toResult().isRequeue())
                .isFalse();
        assertThat(Outcome.retry()).hasToString("retry");
    }

    @Test
    void comesAgainAtTheEarlierOfTwoTimes() {
        Duration soon = Duration.ofSeconds(1);
        Duration later = Duration.ofSeconds(9);
        assertThat(Outcome.done().againAtLatest(soon).toResult()).isEqualTo(new Result(true, soon));
        assertThat(Outcome.done().again(later).againAtLatest(soon).toResult()).isEqualTo(new Result(true, soon));
        assertThat(Outcome.done().again(soon).againAtLatest(later).toResult()).isEqualTo(new Result(true, soon));
        assertThat(Outcome.retry().againAtLatest(soon).toResult()).isEqualTo(new Result(true));
    }

    @Test
    void keepsItsPriorityWhateverElseIsSaid() {
        Duration soon = Duration.ofSeconds(1);
        StatusCondition other = new StatusCondition("Ready", "False", "Late", "it takes long");
        Outcome outcome = Outcome.done()
                .priority(-100)
                .again(soon.plus(soon))
                .againAtLatest(soon)
                .insteadOf(other);
        assertThat(outcome.toResult()).isInstanceOfSatisfying(PriorityResult.class, result -> {
            assertThat(result.priority()).isEqualTo(-100);
            assertThat(result.getRequeueAfter()).isEqualTo(soon);
        });
        assertThat(Outcome.retry().toResult()).isExactlyInstanceOf(Result.class);
    }

    @Test
    void cachesHoldTheChildrenThatHaveTheLabels() {
        assertThat(TypedController.descriptor("gadget", Gadget.TYPE, new Told()).sources())
                .extracting(EventSource::selection)
                .extracting(Selection::labelSelector)
                .containsOnly("", "made-by = test", "tier = web,made-by = test");
    }

    @Test
    void setsReadyAndTellsOfEachNewReasonOnce() throws Exception {
        Told reconciler = new Told();
        try (ApiServer server = ApiServer.start()) {
            Gadget.install(server.client());
            String namespace = server.createNamespace("test");
            ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
            gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
            try (RunningHost host = new RunningHost(
                    server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, reconciler))) {
                host.awaitIdle(1);
                assertThat(Conditions.of(gadgets.get(namespace, "g"), "Ready")).isNull();
                V1ConfigMap child = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP).get(namespace, "g");
                assertThat(child.getMetadata().getLabels()).isEqualTo(LABELS);

                for (Outcome outcome : List.of(
                        Outcome.blocked("SecretMissing", "there is no Secret a"),
                        Outcome.blocked("SecretMissing", "there is no Secret b"),
                        Outcome.progressing("Starting", "0 of 1"),
                        Outcome.ready("Served", "1 of 1"))) {
                    reconciler.outcome = outcome;
                    host.reconcile(new Request(namespace, "g"));
                    await().untilAsserted(() -> assertThat(Conditions.of(gadgets.get(namespace, "g"), "Ready"))
                            .isNotNull()
                            .extracting(V1Condition::getMessage)
                            .isEqualTo(outcome.condition().message()));
                }
                assertThat(Conditions.of(gadgets.get(namespace, "g"), "Ready").getStatus())
                        .isEqualTo("True");
                await().untilAsserted(() -> assertThat(
                                new ResourceClient<>(server.client(), ResourceTypes.EVENT).list(namespace))
                        .extracting(EventsV1Event::getType, EventsV1Event::getReason, EventsV1Event::getNote)
                        .containsExactlyInAnyOrder(
                                tuple("Warning", "SecretMissing", "there is no Secret a"),
                                tuple("Normal", "Starting", "0 of 1"),
                                tuple("Normal", "Served", "1 of 1")));
            }
        }
    }

    /** Else the cache would not hold it, and its changes would bring in nobody. */
    @Test
    void aChildThatIsThereGetsTheLabels() throws Exception {
        try (ApiServer server = ApiServer.start()) {
            Gadget.install(server.client());
            String namespace = server.createNamespace("test");
            new ResourceClient<>(server.client(), Gadget.TYPE)
                    .create(Gadget.named(namespace, "g", new Gadget.Spec("L", List.of(), null)));
            for (Map<String, String> labels : List.of(Map.<String, String>of(), LABELS)) {
                ObjectReconciler<Gadget> makes = new ObjectReconciler<>() {
                    @Override
                    public void describe(ControllerDescription<Gadget> d) {
                        d.owns(ResourceTypes.CONFIG_MAP).labels(labels);
                    }

                    @Override
                    public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                        r.create(new V1ConfigMap());
                        return Outcome.done();
                    }
                };
                try (RunningHost host = new RunningHost(
                        server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, makes))) {
                    host.awaitIdle(1);
                }
            }
            V1ConfigMap child = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP).get(namespace, "g");
            assertThat(child.getMetadata().getLabels()).isEqualTo(LABELS);
        }
    }
}

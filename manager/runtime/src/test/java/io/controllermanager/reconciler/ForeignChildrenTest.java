package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects of a child's name that something else has made. */
class ForeignChildrenTest {

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("foreign");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);

    /** One with a Secret, which its clean-up looks at. */
    private record Operator(Consumer<ControllerDescription<Gadget>> description)
            implements ObjectReconciler<Gadget>, Cleaner<Gadget> {

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            description.accept(d);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            r.apply(new V1Secret().type("Opaque").data(Map.of("a", new byte[] {1})));
            return Outcome.ready("Made", "");
        }

        @Override
        public Outcome cleanup(Gadget gadget, Reconciliation<Gadget> r) {
            V1Secret child = r.child(ResourceTypes.SECRET, "g");
            return child == null ? Outcome.done() : Outcome.progressing("Going", "");
        }
    }

    private static final Patch GIVEN = new Patch.Merge("{\"metadata\":{\"annotations\":{\"given\":\"\"}}}");

    /** One during whose reconcile the name is given to it, just after it was found taken. The cache has that at once. */
    private static final class LateOperator implements ObjectReconciler<Gadget> {

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.SECRET).adopts(ForeignChildrenTest::isGiven);
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            try {
                r.apply(new V1Secret().type("Opaque").data(Map.of("a", new byte[] {1})));
            } catch (NameTakenException e) {
                new ResourceClient<>(r.context().apiClient(), ResourceTypes.SECRET)
                        .patch(gadget.getMetadata().getNamespace(), "g", GIVEN);
                throw e;
            }
            return Outcome.ready("Made", "");
        }
    }

    @BeforeEach
    void install() throws ApiException {
        Gadget.install(server.client());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private RunningHost run(Consumer<ControllerDescription<Gadget>> description) {
        return run(new Operator(description));
    }

    private RunningHost run(ObjectReconciler<Gadget> operator) {
        return RunningHost.everywhere(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, operator));
    }

    private Gadget create() throws ApiException {
        return gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("S", List.of(), null)));
    }

    private void createSecret(@Nullable V1OwnerReference owner) throws ApiException {
        secrets.create(new V1Secret()
                .metadata(new V1ObjectMeta()
                        .namespace(namespace)
                        .name("g")
                        .ownerReferences(owner == null ? null : List.of(owner)))
                .type("Opaque"));
    }

    private static boolean isGiven(KubernetesObject child) {
        Map<String, String> annotations = child.getMetadata().getAnnotations();
        return annotations != null && annotations.containsKey("given");
    }

    private void awaitReason(String reason) {
        await().untilAsserted(() -> {
            V1Condition ready = Conditions.of(gadgets.get(namespace, "g"), "Ready");
            assertThat(ready).isNotNull();
            assertThat(ready.getReason()).isEqualTo(reason);
        });
    }

    /** As the Java Operator SDK sets it. */
    @Test
    void aReferenceWithoutControllerGoesWhereTheChildIsToStay() throws ApiException {
        createSecret(OwnerLink.to(create(), Gadget.TYPE).controller(null).blockOwnerDeletion(null));
        try (RunningHost host = run(d -> d.owns(ResourceTypes.SECRET).retained().adopts(child -> true))) {
            awaitReason("Made");
            host.awaitIdle(1);
            assertThat(secrets.get(namespace, "g").getMetadata().getOwnerReferences())
                    .isNullOrEmpty();
        }
    }

    @Test
    void aNameThatSomebodyElseHasKeepsNoOwnerFromGoing() throws ApiException {
        createSecret(null);
        create();
        try (RunningHost host = run(d -> d.owns(ResourceTypes.SECRET))) {
            awaitReason("NameTaken");
            host.writes();
            gadgets.delete(namespace, "g");
            await().until(() -> gadgets.get(namespace, "g") == null);
            assertThat(secrets.get(namespace, "g")).isNotNull();
        }
    }

    @Test
    void aMarkByHandBringsInWhoeverWaitsForTheName() throws ApiException {
        createSecret(null);
        create();
        try (RunningHost host = run(d -> d.owns(ResourceTypes.SECRET).adopts(ForeignChildrenTest::isGiven))) {
            awaitReason("NameTaken");
            host.writes();
            secrets.patch(namespace, "g", GIVEN);
            awaitReason("Made");
        }
    }

    @Test
    void aMarkThatComesWhileTheFailureIsToldIsSeen() throws ApiException {
        createSecret(null);
        create();
        try (RunningHost host = run(new LateOperator())) {
            awaitReason("Made");
            host.awaitIdle(2);
        }
    }
}

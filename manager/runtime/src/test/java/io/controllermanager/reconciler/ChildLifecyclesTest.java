package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Children that outlive their owner, end in an order, live elsewhere or have lost their owner. */
class ChildLifecyclesTest {

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("lives");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
    private final List<String> steps = new CopyOnWriteArrayList<>();

    @BeforeEach
    void install() throws ApiException {
        Gadget.install(server.client());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Gadget create() throws ApiException {
        return gadgets.create(Gadget.named(namespace, "g", new Gadget.Spec("S", List.of(), null)));
    }

    private static V1ConfigMap configMap() {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("g-config")).data(Map.of("a", "1"));
    }

    private static V1Secret secret() {
        return new V1Secret().metadata(new V1ObjectMeta().name("g-secret")).stringData(Map.of("password", "p"));
    }

    private interface Work {
        void run(Gadget gadget, Reconciliation<Gadget> r) throws ApiException;
    }

    /** One without a clean-up of its own. */
    private RunningHost run(Consumer<ControllerDescription<Gadget>> description, Work work) {
        return RunningHost.everywhere(server.client(), namespace, controller(description, work));
    }

    private static io.controllermanager.controller.ControllerDescriptor controller(
            Consumer<ControllerDescription<Gadget>> description, Work work) {
        return TypedController.descriptor("gadget", Gadget.TYPE, new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                description.accept(d);
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                work.run(gadget, r);
                return Outcome.ready("Made", "");
            }
        });
    }

    /** Deletes the ConfigMap before the Secret. */
    private final class Ordered implements ObjectReconciler<Gadget>, Cleaner<Gadget> {

        @Override
        public void describe(ControllerDescription<Gadget> d) {
            d.owns(ResourceTypes.CONFIG_MAP)
                    .teardown()
                    .owns(ResourceTypes.SECRET)
                    .teardown();
        }

        @Override
        public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            r.apply(configMap());
            r.create(secret());
            return Outcome.ready("Made", "");
        }

        @Override
        public Outcome cleanup(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
            if (!r.delete(configMap())) {
                return Outcome.progressing("ConfigMapGoing", "");
            }
            steps.add(secrets.get(namespace, "g-secret") == null ? "Secret first" : "ConfigMap first");
            return r.delete(secret()) ? Outcome.done() : Outcome.progressing("SecretGoing", "");
        }
    }

    @ParameterizedTest
    @EnumSource(Propagation.class)
    void childrenEndInTheOrderOfTheCleanUpHoweverTheirOwnerIsDeleted(Propagation propagation) throws ApiException {
        create();
        try (RunningHost host = RunningHost.everywhere(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, new Ordered()))) {
            await().until(() -> secrets.get(namespace, "g-secret") != null);
            host.awaitIdle(1);
            assertThat(configMaps.get(namespace, "g-config").getMetadata().getOwnerReferences())
                    .isNullOrEmpty();
            host.writes();

            gadgets.delete(namespace, "g", null, propagation);

            await().until(() -> gadgets.get(namespace, "g") == null);
            assertThat(configMaps.get(namespace, "g-config")).isNull();
            assertThat(secrets.get(namespace, "g-secret")).isNull();
            assertThat(steps).first().isEqualTo("ConfigMap first");
        }
    }

    @Test
    void whatTheCollectorLeavesGoesWithoutACleanUpAndWhatIsRetainedStays() throws ApiException {
        create();
        try (RunningHost host = run(
                d -> d.owns(ResourceTypes.CONFIG_MAP)
                        .teardown()
                        .owns(ResourceTypes.SECRET)
                        .retained(),
                (gadget, r) -> {
                    r.apply(configMap());
                    r.apply(secret());
                })) {
            host.awaitIdle(1);
            assertThat(gadgets.get(namespace, "g").getMetadata().getFinalizers())
                    .containsExactly("example.com/gadget");

            gadgets.delete(namespace, "g", null, Propagation.FOREGROUND);

            await().until(() -> gadgets.get(namespace, "g") == null);
            assertThat(configMaps.get(namespace, "g-config")).isNull();
            assertThat(secrets.get(namespace, "g-secret")).isNotNull();
        }
    }

    @Test
    void aChildWithoutOwnerReferenceIsPutRightAndPrunedAsOthersAre() throws ApiException {
        create();
        try (RunningHost host =
                run(d -> d.owns(ResourceTypes.CONFIG_MAP).teardown().prunes(), (gadget, r) -> {
                    if (gadget.spec().size().equals("S")) {
                        r.apply(configMap());
                    }
                    steps.add(r.children(ResourceTypes.CONFIG_MAP).size() + " children");
                    r.pruneOthers();
                })) {
            host.awaitIdle(1);
            host.reconcile(new Request(namespace, "g"));
            host.awaitIdle(2);
            assertThat(steps).last().isEqualTo("1 children");

            configMaps.patch(namespace, "g-config", new Patch.Merge("{\"data\":{\"a\":\"2\"}}"));
            configMaps.patch(namespace, "g-config", new Patch.Merge("{\"metadata\":{\"annotations\":{\"x\":\"\"}}}"));
            await().until(() -> reason().equals("FieldConflict"));

            gadgets.patch(namespace, "g", new Patch.Merge("{\"spec\":{\"size\":\"L\"}}"));
            await().until(() -> configMaps.get(namespace, "g-config") == null);
        }
    }

    @Test
    void oneThatHasOutlivedItsOwnerBlocksTheNextUnlessItIsGivenToIt() throws ApiException {
        create();
        Work work = (gadget, r) -> r.apply(secret());
        try (RunningHost host = run(d -> d.owns(ResourceTypes.SECRET).retained(), work)) {
            host.awaitIdle(1);
            String uid = secrets.get(namespace, "g-secret").getMetadata().getUid();
            gadgets.delete(namespace, "g");
            await().until(() -> gadgets.get(namespace, "g") == null);
            create();

            await().until(() -> reason().equals("ChildRetained"));
            host.awaitIdle(2);
            assertThat(host.status().errors()).isZero();
            assertThat(Conditions.of(gadgets.get(namespace, "g"), "Ready").getMessage())
                    .isEqualTo("Secret " + namespace + "/g-secret has outlived a former Gadget of this name:"
                            + " it is taken over if the controller's description says adopts(...)");

            secrets.delete(namespace, "g-secret", uid);
            await().until(() -> reason().equals("Made"));
            assertThat(secrets.get(namespace, "g-secret").getMetadata().getUid())
                    .isNotEqualTo(uid);
        }
        gadgets.delete(namespace, "g");
        create();
        try (RunningHost host = run(d -> d.owns(ResourceTypes.SECRET).retained().adopts(child -> true), work)) {
            await().until(() -> reason().equals("Made"));
            host.awaitIdle(1);
        }
    }

    @Test
    void whatHasLostItsOwnerComesBackToTheNextOfThatName() throws ApiException {
        create();
        Consumer<ControllerDescription<Gadget>> description =
                d -> d.owns(ResourceTypes.CONFIG_MAP).owns(ResourceTypes.SECRET);
        Work work = (gadget, r) -> {
            r.apply(configMap());
            r.create(secret());
        };
        String config;
        String password;
        try (RunningHost host = run(description, work)) {
            await().until(() -> reason().equals("Made"));
            host.awaitIdle(1);
            config = uid(configMaps.get(namespace, "g-config"));
            password = uid(secrets.get(namespace, "g-secret"));
            gadgets.delete(namespace, "g", null, Propagation.ORPHAN);
            await().until(() -> OwnerLink.controllerOf(configMaps.get(namespace, "g-config")) == null);
            await().until(() -> gadgets.get(namespace, "g") == null);
        }
        Gadget next = create();
        try (RunningHost host = run(description, work)) {
            await().until(() -> reason().equals("Made"));
            host.awaitIdle(1);
            for (KubernetesObject child :
                    List.of(configMaps.get(namespace, "g-config"), secrets.get(namespace, "g-secret"))) {
                assertThat(OwnerLink.isControlledBy(child, next)).isTrue();
            }
            assertThat(uid(configMaps.get(namespace, "g-config"))).isEqualTo(config);
            assertThat(uid(secrets.get(namespace, "g-secret"))).isEqualTo(password);
        }
    }

    /** As from a backup: others have every field of them, and nothing refers to an owner. */
    @Test
    void whatWasWrittenAnewFromAManifestIsTakenOverWithItsFields() throws ApiException {
        create();
        V1ConfigMap restored = configMap().data(Map.of("a", "old"));
        restored.getMetadata()
                .namespace(namespace)
                .putAnnotationsItem(
                        "applied.controller-manager/gadget",
                        "0123 Gadget.example.com/" + namespace + "/g " + namespace + "/g-config");
        configMaps.create(restored);
        V1Secret foreign = secret();
        foreign.getMetadata().namespace(namespace);
        String uid = uid(secrets.create(foreign));
        try (RunningHost host = run(d -> d.owns(ResourceTypes.CONFIG_MAP).owns(ResourceTypes.SECRET), (gadget, r) -> {
            r.apply(configMap());
            r.apply(secret());
        })) {
            await().until(() -> reason().equals("NameTaken"));
            host.writes();
            assertThat(configMaps.get(namespace, "g-config").getData()).isEqualTo(Map.of("a", "1"));
            assertThat(uid(secrets.get(namespace, "g-secret"))).isEqualTo(uid);
            assertThat(secrets.get(namespace, "g-secret").getMetadata().getAnnotations())
                    .isNullOrEmpty();
        }
    }

    @Test
    void childrenMayLiveInOtherNamespacesAndInNone() throws ApiException {
        String other = server.createNamespace("other");
        ResourceClient<V1ClusterRole> roles = new ResourceClient<>(server.client(), ResourceTypes.CLUSTER_ROLE);
        create();
        try (RunningHost host =
                run(d -> d.owns(ResourceTypes.CONFIG_MAP).in().owns(ResourceTypes.CLUSTER_ROLE), (gadget, r) -> {
                    V1ConfigMap elsewhere = configMap();
                    elsewhere.getMetadata().setNamespace(other);
                    r.apply(elsewhere);
                    r.apply(new V1ClusterRole().metadata(new V1ObjectMeta().name("g-role")));
                })) {
            host.awaitIdle(1);
            host.awaitIdle(1);
            assertThat(configMaps.get(other, "g-config")).isNotNull();

            configMaps.delete(other, "g-config");
            await().until(() -> configMaps.get(other, "g-config") != null);

            // A copy names the child, so it is none.
            V1ConfigMap copy = configMaps.get(other, "g-config");
            copy.getMetadata().name("copy").resourceVersion(null).uid(null);
            configMaps.create(copy);
            gadgets.delete(namespace, "g", null, Propagation.FOREGROUND);

            await().until(() -> gadgets.get(namespace, "g") == null);
            assertThat(configMaps.get(other, "g-config")).isNull();
            assertThat(roles.get(null, "g-role")).isNull();
            assertThat(configMaps.get(other, "copy")).isNotNull();
        }
    }

    @Test
    void aHostThatIsRestrictedToNamespacesCannotHaveChildrenElsewhere() {
        assertRefused("configmaps/v1", d -> d.owns(ResourceTypes.CONFIG_MAP).in("other"));
        assertRefused("clusterroles.rbac.authorization.k8s.io/v1", d -> d.owns(ResourceTypes.CLUSTER_ROLE));
    }

    private void assertRefused(String type, Consumer<ControllerDescription<Gadget>> description) {
        assertThatThrownBy(
                        () -> new RunningHost(server.client(), namespace, controller(description, (gadget, r) -> {})))
                .hasMessage("controller \"gadget\" makes " + type
                        + " outside the namespaces of its objects, which it cannot see there: name no"
                        + " namespaces, or take in(...) and cluster-scoped children out of its description");
    }

    private String reason() throws ApiException {
        Gadget gadget = gadgets.get(namespace, "g");
        V1Condition ready = gadget == null ? null : Conditions.of(gadget, "Ready");
        return ready == null ? "" : ready.getReason();
    }

    private static String uid(KubernetesObject object) {
        return object.getMetadata().getUid();
    }
}

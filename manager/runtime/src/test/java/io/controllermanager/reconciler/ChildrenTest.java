package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Children that are there already, from an earlier version of the controller or on their way out. */
class ChildrenTest {

    private static final Map<String, String> LABELS = Map.of("part", "yes");

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("children");
    private final ResourceClient<Gadget> gadgets = new ResourceClient<>(server.client(), Gadget.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);

    private static V1ConfigMap child() {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("g-child")).data(Map.of("password", "p"));
    }

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

    private RunningHost run(boolean applies, Map<String, String> labels) {
        return new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, new ObjectReconciler<>() {
                    @Override
                    public void describe(ControllerDescription<Gadget> d) {
                        d.owns(ResourceTypes.CONFIG_MAP).prunes().labels(labels);
                    }

                    @Override
                    public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                        if (applies) {
                            r.apply(child());
                        } else {
                            r.create(child());
                        }
                        r.pruneOthers();
                        return Outcome.done();
                    }
                }));
    }

    @Test
    void oneThatAFormerVersionAppliedIsNotPrunedWhereThisOneCreatesIt() throws ApiException {
        create();
        try (RunningHost former = run(true, Map.of())) {
            former.awaitIdle(1);
        }
        try (RunningHost host = run(false, Map.of())) {
            host.awaitIdle(1);
            host.reconcile(new Request(namespace, "g"));
            host.awaitIdle(2);

            assertThat(host.writes()).isEmpty();
        }
    }

    /** What it is asked for is never there, whatever the cache has under the name. */
    @Test
    void oneInAnotherNamespaceIsRefusedThoughItsNameIsThere() throws ApiException {
        create();
        try (RunningHost former = run(false, Map.of())) {
            former.awaitIdle(1);
        }
        AtomicReference<@Nullable Throwable> refusal = new AtomicReference<>();
        ObjectReconciler<Gadget> elsewhere = new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.owns(ResourceTypes.CONFIG_MAP);
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                V1ConfigMap child = child();
                child.getMetadata().setNamespace("elsewhere");
                refusal.set(catchThrowable(() -> r.create(child)));
                return Outcome.done();
            }
        };
        try (RunningHost host = new RunningHost(
                server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, elsewhere))) {
            host.awaitIdle(1);

            assertThat(refusal.get())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be its owner's, " + namespace + ", but is elsewhere");
        }
    }

    @Test
    void anAuthorMayUseOneObjectForSeveral() throws ApiException {
        create();
        ObjectReconciler<Gadget> loop = new ObjectReconciler<>() {
            @Override
            public void describe(ControllerDescription<Gadget> d) {
                d.owns(ResourceTypes.CONFIG_MAP).prunes();
            }

            @Override
            public Outcome reconcile(Gadget gadget, Reconciliation<Gadget> r) throws ApiException {
                V1ConfigMap template = child();
                for (String name : List.of("first", "second")) {
                    template.getMetadata().setName(name);
                    r.apply(template);
                }
                r.pruneOthers();
                return Outcome.done();
            }
        };
        try (RunningHost host =
                new RunningHost(server.client(), namespace, TypedController.descriptor("gadget", Gadget.TYPE, loop))) {
            host.awaitIdle(1);
            host.reconcile(new Request(namespace, "g"));
            host.awaitIdle(2);

            assertThat(configMaps.get(namespace, "first")).isNotNull();
            assertThat(configMaps.get(namespace, "second")).isNotNull();
        }
    }

    @Test
    void oneThatGoesUnseenIsMadeAgain() throws ApiException {
        Gadget owner = create();
        V1ConfigMap unlabelled = child();
        unlabelled
                .getMetadata()
                .namespace(namespace)
                .finalizers(List.of("example.com/hold"))
                .ownerReferences(List.of(new V1OwnerReference()
                        .apiVersion("example.com/v1")
                        .kind("Gadget")
                        .name("g")
                        .uid(owner.getMetadata().getUid())
                        .controller(true)));
        configMaps.create(unlabelled);
        configMaps.delete(namespace, "g-child");
        try (RunningHost host = run(true, LABELS)) {
            await().until(() -> host.status().reconciles() > 0);
            configMaps.patch(namespace, "g-child", new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));

            await().untilAsserted(() -> assertThat(configMaps.get(namespace, "g-child"))
                    .isNotNull()
                    .extracting(made -> made.getMetadata().getLabels())
                    .isEqualTo(LABELS));
        }
    }
}

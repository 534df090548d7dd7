package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiCallback;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The host with nothing faked. */
@RealControlPlane
class ControllerManagerApiTest extends ControllerManagerApiFixture {

    private static final ResourceType<V1ConfigMap> WIDGET =
            ResourceType.namespaced(V1ConfigMap.class, "example.com", "v1", "Widget", "widgets");

    ControllerManagerApiTest(ControlPlane plane) throws IOException {
        super(plane);
    }

    @Test
    void theLeaderReconcilesTheStandbyTakesOverWithWarmCaches() throws Exception {
        create("one");
        Replica a = replica("a");
        a.manager.start();
        awaitState(a, ControllerState.RUNNING);
        await().until(() -> log.contains("a one"));
        Replica b = replica("b");
        b.manager.start();
        awaitState(b, ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> b.manager.readiness(false).healthy());
        create("two");
        await().until(() -> log.contains("a two"));
        assertThat(b.manager.controllers().get(0).queueDepth()).isZero();
        assertThat(log).noneMatch(line -> line.startsWith("b "));
        assertThatThrownBy(() -> new CoreV1Api(b.process.connection.apiClient())
                        .deleteNamespacedConfigMap("one", namespace)
                        .execute())
                .isInstanceOf(ApiException.class)
                .hasRootCauseInstanceOf(WriteRefusedException.class);
        assertThat(new CoreV1Api(b.process.connection.apiClient())
                        .readNamespacedConfigMap("one", namespace)
                        .execute())
                .isNotNull();
        a.manager.stop();
        await().until(() -> log.contains("b one") && log.contains("b two"));
        b.manager.stop();
        assertThat(holder()).isEmpty();
    }

    @Test
    void whatAReconcileWritesAfterItsLeaseWasLostIsRefusedThoughTheLeaseIsHeldAgain() throws Exception {
        AtomicReference<@Nullable Replica> replica = new AtomicReference<>();
        AtomicInteger runs = new AtomicInteger();
        Replica a = replica("a", request -> {
            ApiClient client =
                    Objects.requireNonNull(replica.get()).process.connection.apiClient();
            int run = request.getName().equals("one") ? runs.incrementAndGet() : 0;
            if (run == 1) {
                log.add("sync " + write(client, "before") + ", async " + writeAsync(client, "before-async"));
                loseAndRegain(Objects.requireNonNull(replica.get()).manager);
                log.add("sync " + write(client, "after") + ", async " + writeAsync(client, "after-async"));
            } else if (run == 2) {
                log.add("sync " + write(client, "next") + ", async " + writeAsync(client, "next-async"));
            }
        });
        replica.set(a);
        create("one");
        a.manager.start();

        String refused =
                "this process (a) has lost " + namespace + "/manager since this reconcile began, and has taken it anew";
        await().until(() -> log.size() == 3);
        assertThat(log)
                .containsExactly(
                        "sync null, async null", "sync " + refused + ", async " + refused, "sync null, async null");
        assertThat(write(a.process.connection.apiClient(), "outside")).isNull();
    }

    /** As an intruder that gives the Lease back at once. Heeds no interrupt, but waits for it. */
    private void loseAndRegain(ControllerManager manager) {
        hold("intruder");
        while (!Thread.interrupted()) {
            Thread.onSpinWait();
        }
        hold("");
        while (!manager.leadership().leading()) {
            Thread.onSpinWait();
        }
    }

    /** On a thread of its own, since the reconcile may be interrupted before the API server has answered. */
    private void hold(String identity) {
        CompletableFuture.runAsync(() -> holdOnceMore(identity)).join();
    }

    private void holdOnceMore(String identity) {
        CoordinationV1Api leases = new CoordinationV1Api(admin);
        boolean overtaken = true;
        while (overtaken) {
            try {
                V1Lease lease = leases.readNamespacedLease("manager", namespace).execute();
                Objects.requireNonNull(lease.getSpec()).setHolderIdentity(identity);
                leases.replaceNamespacedLease("manager", namespace, lease).execute();
                overtaken = false;
            } catch (ApiException e) {
                // The leader may have renewed it meanwhile.
                overtaken = e.getCode() == 409;
                if (!overtaken) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** Why the write was refused, null if it was not. */
    private @Nullable String write(ApiClient client, String name) throws ApiException {
        try {
            new CoreV1Api(client)
                    .createNamespacedConfigMap(namespace, configMap(name))
                    .execute();
            return null;
        } catch (ApiException e) {
            return refusal(e);
        }
    }

    /** The same of one that OkHttp sends on a thread of its own. */
    private @Nullable String writeAsync(ApiClient client, String name) throws ApiException, InterruptedException {
        CountDownLatch answered = new CountDownLatch(1);
        AtomicReference<@Nullable ApiException> failure = new AtomicReference<>();
        client.executeAsync(
                new CoreV1Api(client)
                        .createNamespacedConfigMap(namespace, configMap(name))
                        .buildCall(null),
                V1ConfigMap.class,
                new ApiCallback<V1ConfigMap>() {
                    @Override
                    public void onFailure(ApiException e, int status, Map<String, List<String>> headers) {
                        failure.set(e);
                        answered.countDown();
                    }

                    @Override
                    public void onSuccess(V1ConfigMap result, int status, Map<String, List<String>> headers) {
                        answered.countDown();
                    }

                    @Override
                    public void onUploadProgress(long written, long length, boolean done) {}

                    @Override
                    public void onDownloadProgress(long read, long length, boolean done) {}
                });
        Waiting.on(answered);
        ApiException e = failure.get();
        return e == null ? null : refusal(e);
    }

    private static String refusal(ApiException e) throws ApiException {
        if (e.getCause() instanceof WriteRefusedException refused) {
            return String.valueOf(refused.getMessage());
        }
        throw e;
    }

    @Test
    void anInformerEndsWithTheLastControllerThatNeedsItAndComesBackWithTheNext() throws Exception {
        create("one");
        Replica a = replica("a");
        ControllerManager manager = a.manager(ControllerRegistration.of(ControllerDescriptor.named("second")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(request -> new Result(false))
                .build()));
        String first = manager.controllers().get(0).name();
        manager.start();
        await().until(() -> log.contains("a one"));
        awaitRunning(manager);
        assertThat(manager.informers()).hasSize(1);
        manager.stopController("second");
        assertThat(manager.informers()).hasSize(1);
        manager.stopController(first);
        assertThat(manager.informers()).isEmpty();
        log.clear();
        create("two");
        manager.startController(first);

        await().until(() -> log.contains("a one") && log.contains("a two"));
        assertThat(manager.informers()).hasSize(1);
        assertThat(manager.controllers().get(1).state()).isEqualTo(ControllerState.STOPPED);
        manager.stop();
    }

    @Test
    void aControllerHasAnInformerOfWhatItSelects() throws Exception {
        create("one");
        create("two");
        Selection<PartialObjectMetadata> selection =
                Selection.metadataOf(ResourceTypes.CONFIG_MAP).fields("metadata.name=two");
        Replica a = replica("a");
        ControllerManager manager = a.manager(ControllerRegistration.of(ControllerDescriptor.named("selective")
                .forType(selection, event -> true)
                .reconcilerFactory(context -> request -> {
                    PartialObjectMetadata read = context.informer(selection)
                            .lister()
                            .namespace(request.getNamespace())
                            .get(request.getName());
                    log.add("selective " + read.getKind() + " " + request.getName());
                    return new Result(false);
                })
                .build()));
        manager.start();

        await().until(() -> log.contains("a one") && log.contains("selective ConfigMap two"));
        assertThat(log).doesNotContain("selective ConfigMap one");
        assertThat(manager.informers()).hasSize(2);
        manager.stopController("selective");
        assertThat(manager.informers()).hasSize(1);
        manager.stop();
    }

    private static void awaitRunning(ControllerManager manager) {
        await().untilAsserted(() -> assertThat(manager.controllers())
                .extracting(ControllerStatus::state)
                .containsOnly(ControllerState.RUNNING));
    }

    @Test
    void aMissingCrdKeepsItsControllerWaitingUntilItAppears() throws Exception {
        Replica a = replica("a");
        ControllerManager manager = a.manager(ControllerRegistration.of(ControllerDescriptor.named("widgets")
                .forType(WIDGET)
                .reconciler(request -> {
                    log.add("widget " + request.getName());
                    return new Result(false);
                })
                .build()));
        manager.start();
        await().until(() -> manager.controllers().get(0).state() == ControllerState.RUNNING);
        await().until(() -> manager.controllers().get(1).state() == ControllerState.WAITING_FOR_TYPE);
        assertThat(manager.controllers().get(1).detail())
                .isEqualTo("the API server does not serve widgets.example.com/v1");
        assertThat(manager.informers()).noneMatch(status -> status.resource().contains("widgets"));
        applyCrd();

        await().until(() -> manager.controllers().get(1).state() == ControllerState.RUNNING);
        manager.stop();
    }

    @Test
    void stopWaitsForTheReconcileThenReleasesTheLeaseAndLeavesTheQueue() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<String> holderDuring = new CopyOnWriteArrayList<>();
        Replica a = replica("a", request -> {
            busy.countDown();
            go.await();
            holderDuring.add(holder());
        });
        a.manager.start();
        awaitState(a, ControllerState.RUNNING);
        for (int i = 0; i < 5; i++) {
            create("map-" + i);
        }
        Waiting.on(busy);
        Thread stopper = new Thread(a.manager::stop, "stopper");
        stopper.start();
        Drain.awaitBegun();
        go.countDown();
        Waiting.on(stopper);

        assertThat(holderDuring).containsExactly("a");
        assertThat(holder()).isEmpty();
        assertThat(a.manager.controllers().get(0).reconciles()).isEqualTo(1);
    }

    @Test
    void theHostIsRestartable() throws Exception {
        create("one");
        Replica a = replica("a");
        for (int i = 0; i < 3; i++) {
            log.clear();
            a.manager.start();
            await().until(() -> log.contains("a one"));
            create("during-" + i);
            String name = "a during-" + i;
            await().until(() -> log.contains(name));
            a.manager.stop();
            assertThat(holder()).isEmpty();
        }
    }

    /** As it is written: client-java's classes would add fields that the API server refuses. */
    private void applyCrd() throws IOException {
        Request request = new Request.Builder()
                .url(admin.getBasePath() + "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
                .post(RequestBody.create(CRD, MediaType.get("application/yaml")))
                .build();
        try (Response response = admin.getHttpClient().newCall(request).execute()) {
            assertThat(response.code()).isEqualTo(201);
        }
    }

    private static final String CRD = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: widgets.example.com
            spec:
              group: example.com
              names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
              scope: Namespaced
              versions:
                - name: v1
                  served: true
                  storage: true
                  schema:
                    openAPIV3Schema:
                      type: object
                      x-kubernetes-preserve-unknown-fields: true
            """;
}

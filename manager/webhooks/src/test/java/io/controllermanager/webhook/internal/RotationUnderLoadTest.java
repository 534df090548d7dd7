package io.controllermanager.webhook.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.webhook.internal.Replicas.Replica;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Creates and updates at a steady rate, each of which is admitted and converted by one of three replicas, while certificates change
 * and replicas come and go. The client judges: a call that fails is one too many, unless it was sent to a replica that had been
 * killed and whose endpoint was still there. A watch goes on beside the calls; its ends are counted apart.
 */
@Tag("deep")
class RotationUnderLoadTest {

    private static final String NAMESPACE = "default";
    private static final String NAME = "hooks";
    private static final String CRD = "gadgets.example.com";
    private static final int A_SECOND = 100;
    private static final Duration PAUSE = Duration.ofNanos(1_000_000_000 / A_SECOND);
    private static final int SETTLE_SECONDS = 5;

    private static final ResourceType<DynamicKubernetesObject> GADGETS =
            ResourceType.namespaced(DynamicKubernetesObject.class, "example.com", "v2", "Gadget", "gadgets");
    private static final ResourceType<DynamicKubernetesObject> CRDS = ResourceType.cluster(
            DynamicKubernetesObject.class,
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions");

    private final ControlPlane plane = ControlPlane.builder()
            .apiServerFlag("enable-aggregator-routing", "true")
            .start();
    private final ApiClient client;
    private final Replicas replicas;
    private final ResourceClient<V1Secret> secrets;
    private final ResourceClient<DynamicKubernetesObject> gadgets;
    private final ExecutorService senders = Executors.newCachedThreadPool();
    private final ConcurrentLinkedQueue<Failure> failures = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Integer> milliseconds = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> created = new ConcurrentLinkedQueue<>();

    RotationUnderLoadTest() throws IOException {
        client = Config.fromConfig(new StringReader(plane.kubeconfig()));
        replicas = new Replicas(client, plane.kubeconfigFile(), NAMESPACE, NAME, CRD, SETTLE_SECONDS);
        secrets = new ResourceClient<>(client, ResourceTypes.SECRET);
        gadgets = new ResourceClient<>(client, GADGETS);
    }

    @AfterEach
    void close() {
        over.set(true);
        senders.shutdownNow();
        replicas.close();
        plane.close();
    }

    /** Whether all has happened: until then calls go on, however many there are. */
    private final AtomicBoolean over = new AtomicBoolean();

    private record Failure(long nanos, String message) {}

    @Test
    void fewCalls() throws Exception {
        run(3_000);
    }

    @Test
    void manyCalls() throws Exception {
        run(10_000);
    }

    private void run(int calls) throws Exception {
        install();
        Replica first = replicas.start();
        Replica second = replicas.start();
        Replica third = replicas.start();
        first.lead();
        await().until(this::isAdmitted);
        // In the version that is not stored, so that each event is converted.
        WatchedGadgets watched = new WatchedGadgets(client, "v2");
        Future<?> watching = senders.submit(watched);
        Future<Void> load = senders.submit(() -> send(calls));

        String leaf = certificate("tls.crt");
        patchSecret("{\"data\":{\"tls.crt\":null,\"tls.key\":null}}");
        await().until(() ->
                !certificate("tls.crt").isEmpty() && !certificate("tls.crt").equals(leaf));
        String renewed = certificate("tls.crt");

        patchSecret("{\"data\":{\"ca.key\":null}}");
        await().until(() -> !certificate("tls.crt").equals(renewed)
                && !certificate("ca.key").isEmpty());

        Replica fourth = replicas.start();
        fourth.lead();
        replicas.stop(first);
        Replica fifth = replicas.start();
        replicas.stop(second);
        long killed = System.nanoTime();
        replicas.kill(third);
        long removed = System.nanoTime() + Duration.ofMillis(200).toNanos();
        over.set(true);
        load.get();
        await().until(() -> watching.isDone() || watched.names().containsAll(created));

        // The message of a call that had been sent when its connection ended does not name the replica.
        List<Failure> unexpected = failures.stream()
                .filter(each -> each.nanos < killed
                        || each.nanos > removed
                        || !(each.message.contains(":" + third.port()) || each.message.endsWith("EOF")))
                .toList();
        int[] sorted =
                milliseconds.stream().mapToInt(Integer::intValue).sorted().toArray();
        System.out.printf(
                "%d calls, %d failed at the killed replica, %d failed otherwise; p50 %d ms, p99 %d ms, longest %d ms;"
                        + " the API server ended %d watches%n",
                milliseconds.size(),
                failures.size() - unexpected.size(),
                unexpected.size(),
                sorted[sorted.length / 2],
                sorted[sorted.length * 99 / 100],
                sorted[sorted.length - 1],
                watched.ends());
        assertThat(unexpected).isEmpty();
        if (watching.isDone()) {
            watching.get();
        }
        assertThat(List.of(fourth, fifth)).allMatch(each -> each.process().isAlive());
    }

    private String certificate(String key) throws ApiException {
        V1Secret secret = secrets.get(NAMESPACE, NAME);
        byte[] value = secret == null || secret.getData() == null
                ? null
                : secret.getData().get(key);
        return value == null ? "" : Arrays.toString(value);
    }

    private void patchSecret(String json) throws ApiException {
        assertThat(secrets.patch(NAMESPACE, NAME, new Patch.Merge(json))).isNotNull();
    }

    private boolean isAdmitted() {
        try {
            return gadgets.create(gadget("first")) != null;
        } catch (ApiException e) {
            return false;
        }
    }

    /** At least so many calls: each sender creates objects and updates each once. */
    private Void send(int calls) throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> done = new ArrayList<>();
        long begun = System.nanoTime();
        for (int sender = 0; sender < 20; sender++) {
            done.add(senders.submit(() -> {
                for (int number = next.getAndIncrement();
                        number < calls / 2 || !over.get();
                        number = next.getAndIncrement()) {
                    waitUntil(begun + 2 * number * PAUSE.toNanos());
                    DynamicKubernetesObject made = gadget("g" + number);
                    DynamicKubernetesObject stored = tried(() -> gadgets.create(made));
                    waitUntil(begun + (2 * number + 1) * PAUSE.toNanos());
                    if (stored != null) {
                        created.add(made.getMetadata().getName());
                        stored.getRaw().add("spec", JsonParser.parseString("{\"size\": 2}"));
                        tried(() -> gadgets.update(stored));
                    }
                }
            }));
        }
        for (Future<?> each : done) {
            each.get();
        }
        return null;
    }

    private static void waitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private interface Call {
        DynamicKubernetesObject run() throws ApiException;
    }

    private DynamicKubernetesObject tried(Call call) {
        long begun = System.nanoTime();
        try {
            return call.run();
        } catch (ApiException e) {
            failures.add(new Failure(System.nanoTime(), FailureMessage.words(e)));
            return null;
        } finally {
            milliseconds.add((int) ((System.nanoTime() - begun) / 1_000_000));
        }
    }

    private static DynamicKubernetesObject gadget(String name) {
        return new DynamicKubernetesObject(
                JsonParser.parseString("""
                {"apiVersion": "example.com/v2", "kind": "Gadget", "metadata": {"name": "%s", "namespace": "default"},
                 "spec": {"size": 1}}
                """.formatted(name)).getAsJsonObject());
    }

    private void install() throws Exception {
        create("v1", "Service", "services", """
                {"metadata": {"name": "hooks", "namespace": "default"},
                 "spec": {"ports": [{"name": "https", "port": 443, "targetPort": 9443}]}}
                """);
        create("v1", "Secret", "secrets", """
                {"metadata": {"name": "hooks", "namespace": "default"}, "type": "Opaque"}
                """);
        create(
                "admissionregistration.k8s.io/v1",
                "ValidatingWebhookConfiguration",
                "validatingwebhookconfigurations",
                """
                {"metadata": {"name": "hooks"}, "webhooks": [{"name": "validate.gadgets.example.com",
                 "admissionReviewVersions": ["v1"], "sideEffects": "None", "clientConfig": {"service":
                  {"name": "hooks", "namespace": "default", "path": "/validate"}},
                 "rules": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["gadgets"],
                  "operations": ["CREATE", "UPDATE"]}]}]}
                """);
        create("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", """
                {"metadata": {"name": "hooks"}, "webhooks": [{"name": "mutate.gadgets.example.com",
                 "admissionReviewVersions": ["v1"], "sideEffects": "None", "clientConfig": {"service":
                  {"name": "hooks", "namespace": "default", "path": "/mutate"}},
                 "rules": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["gadgets"],
                  "operations": ["CREATE", "UPDATE"]}]}]}
                """);
        String version = """
                {"name": "%s", "served": true, "storage": %s, "schema": {"openAPIV3Schema":
                 {"type": "object", "properties": {"spec":
                  {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}
                """;
        create("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", """
                {"metadata": {"name": "gadgets.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
                 "versions": [%s, %s],
                 "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig":
                  {"service": {"name": "hooks", "namespace": "default", "path": "/convert"}}}}}}
                """.formatted(
                        version.formatted("v1", true), version.formatted("v2", false)));
        ResourceClient<DynamicKubernetesObject> crds = new ResourceClient<>(client, CRDS);
        await().until(() -> crds.get(null, CRD).getRaw().get("status") instanceof JsonObject status
                && status.toString().contains("\"Established\""));
    }

    private void create(String apiVersion, String kind, String plural, String json) throws ApiException {
        JsonObject object = JsonParser.parseString(json).getAsJsonObject();
        object.addProperty("apiVersion", apiVersion);
        object.addProperty("kind", kind);
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        ResourceType<DynamicKubernetesObject> type = ResourceType.namespaced(
                DynamicKubernetesObject.class, group, apiVersion.substring(slash + 1), kind, plural);
        ResourceType<DynamicKubernetesObject> inNone = ResourceType.cluster(
                DynamicKubernetesObject.class, group, apiVersion.substring(slash + 1), kind, plural);
        boolean namespaced = object.getAsJsonObject("metadata").has("namespace");
        assertThat(new ResourceClient<>(client, namespaced ? type : inNone).create(new DynamicKubernetesObject(object)))
                .isNotNull();
    }
}

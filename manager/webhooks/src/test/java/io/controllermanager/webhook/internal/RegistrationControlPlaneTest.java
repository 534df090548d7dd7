package io.controllermanager.webhook.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.webhook.internal.certificate.BundleTargets;
import io.controllermanager.webhook.internal.certificate.CertificateSettings;
import io.controllermanager.webhook.internal.certificate.CertificateTimes;
import io.controllermanager.webhook.internal.serving.BadRequestException;
import io.controllermanager.webhook.internal.serving.ServerSettings;
import io.controllermanager.webhook.internal.serving.WebhookHandler;
import io.controllermanager.webhook.internal.serving.WebhookServing;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the process writes at a real API server, with the rights that it has there and no others. */
@RealControlPlane
class RegistrationControlPlaneTest {

    private static final ResourceType<DynamicKubernetesObject> CRDS =
            cluster("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions");
    private static final ResourceType<DynamicKubernetesObject> VALIDATING = cluster(
            "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations");

    /** The largest object is more than an etcd takes, and the largest body less than the API server does. */
    private static final int LARGEST = 3_000_000;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ControlPlane plane;
    private final String namespace;
    private final String name;
    private final String group;
    private final ApiClient admin;
    private final ResourceClient<V1Secret> secrets;
    private final ResourceClient<DynamicKubernetesObject> crds;
    private final ResourceClient<DynamicKubernetesObject> configurations;
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final Seen seen = new Seen();
    private @Nullable WebhookServing serving;
    private @Nullable ApiConnection connection;

    RegistrationControlPlaneTest(ControlPlane plane, FreshNamespace fresh) throws IOException {
        this.plane = plane;
        this.namespace = fresh.name();
        int number = COUNT.incrementAndGet();
        this.name = "hooks-" + number + "-" + namespace;
        this.group = "g" + number + "-" + namespace + ".example.com";
        this.admin = Config.fromConfig(new StringReader(plane.kubeconfig()));
        this.secrets = new ResourceClient<>(admin, ResourceTypes.SECRET);
        this.crds = new ResourceClient<>(admin, CRDS);
        this.configurations = new ResourceClient<>(admin, VALIDATING);
    }

    private static ResourceType<DynamicKubernetesObject> cluster(String group, String kind, String plural) {
        return ResourceType.cluster(DynamicKubernetesObject.class, group, "v1", kind, plural);
    }

    private static ResourceType<DynamicKubernetesObject> namespaced(
            String group, String version, String kind, String plural) {
        return ResourceType.namespaced(DynamicKubernetesObject.class, group, version, kind, plural);
    }

    /** Counts what conversions are asked for. */
    private static final class Seen implements WebhookHandler {

        private final WebhookProcess.Everything everything = new WebhookProcess.Everything();
        private final AtomicInteger mostObjects = new AtomicInteger();
        private final AtomicInteger conversions = new AtomicInteger();
        private final AtomicLong largest = new AtomicLong();
        private final AtomicInteger admissions = new AtomicInteger();
        private volatile String fault = "";

        @Override
        public Set<String> paths() {
            return everything.paths();
        }

        @Override
        public byte[] answer(String path, InputStream body) throws BadRequestException, InterruptedException {
            if (fault.equals("slow " + path)) {
                new CountDownLatch(1).await();
            } else if (fault.equals("garbage " + path)) {
                return "garbage".getBytes(StandardCharsets.UTF_8);
            }
            try {
                byte[] bytes = body.readAllBytes();
                if (path.equals("/convert")) {
                    conversions.incrementAndGet();
                    largest.accumulateAndGet(bytes.length, Math::max);
                    JsonObject review = JsonParser.parseString(new String(bytes, StandardCharsets.UTF_8))
                            .getAsJsonObject();
                    int objects = review.getAsJsonObject("request")
                            .getAsJsonArray("objects")
                            .size();
                    mostObjects.accumulateAndGet(objects, Math::max);
                } else {
                    admissions.incrementAndGet();
                }
                return everything.answer(path, new ByteArrayInputStream(bytes));
            } catch (IOException e) {
                throw new BadRequestException(String.valueOf(e.getMessage()));
            }
        }
    }

    private String crd() {
        return "gadgets." + group;
    }

    private void create(ResourceType<DynamicKubernetesObject> type, String json) throws ApiException {
        JsonObject object = JsonParser.parseString(json).getAsJsonObject();
        object.addProperty("apiVersion", type.apiVersion());
        object.addProperty("kind", type.kind());
        assertThat(new ResourceClient<>(admin, type).create(new DynamicKubernetesObject(object)))
                .isNotNull();
    }

    private String definition() {
        String version = """
                {"name": "%s", "served": true, "storage": %s, "schema": {"openAPIV3Schema":
                 {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}
                """;
        return """
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "%s"}, "spec": {"group": "%s", "scope": "Namespaced",
                 "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
                 "versions": [%s, %s],
                 "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig":
                  {"service": {"name": "%s", "namespace": "%s", "path": "/convert"}}}}}}
                """.formatted(
                        crd(), group, version.formatted("v1", true), version.formatted("v2", false), name, namespace);
    }

    private String configuration() {
        return """
                {"metadata": {"name": "%s"}, "webhooks": [{"name": "validate.gadgets.example.com",
                 "admissionReviewVersions": ["v1"], "sideEffects": "None",
                 "objectSelector": {"matchExpressions": [{"key": "large", "operator": "DoesNotExist"}]}, "clientConfig": {"service":
                  {"name": "%s", "namespace": "%s", "path": "/validate"}},
                 "rules": [{"apiGroups": ["%s"], "apiVersions": ["*"], "resources": ["gadgets"],
                  "operations": ["CREATE", "UPDATE"]}]}]}
                """.formatted(name, name, namespace, group);
    }

    /** What the chart installs, and the rights of a process that serves these webhooks. */
    private void install() throws ApiException {
        create(namespaced("", "v1", "Secret", "secrets"), """
                {"metadata": {"name": "%s", "namespace": "%s"}, "type": "Opaque"}
                """.formatted(name, namespace));
        create(CRDS, definition());
        create(VALIDATING, configuration());
        String rule = """
                {"apiGroups": ["%s"], "resources": ["%s"], "resourceNames": ["%s"], "verbs": [%s]}
                """;
        create(namespaced("rbac.authorization.k8s.io", "v1", "Role", "roles"), """
                {"metadata": {"name": "%s", "namespace": "%s"}, "rules": [%s]}
                """.formatted(
                        name,
                        namespace,
                        rule.formatted("", "secrets", name, "\"get\", \"list\", \"watch\", \"patch\", \"create\"")));
        create(namespaced("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"), binding("Role"));
        String reads = "\"get\", \"list\", \"watch\", \"patch\"";
        create(cluster("rbac.authorization.k8s.io", "ClusterRole", "clusterroles"), """
                {"metadata": {"name": "%s"}, "rules": [%s, %s]}
                """.formatted(
                name,
                rule.formatted("apiextensions.k8s.io", "customresourcedefinitions", crd(), reads),
                rule.formatted("admissionregistration.k8s.io", "validatingwebhookconfigurations", name, reads)));
        create(
                cluster("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings"),
                binding("ClusterRole"));
    }

    private String binding(String kind) {
        return """
                {"metadata": {"name": "%s", "namespace": "%s"},
                 "subjects": [{"kind": "User", "name": "%s", "apiGroup": "rbac.authorization.k8s.io"}],
                 "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "%s", "name": "%s"}}
                """.formatted(name, namespace, name, kind, name);
    }

    private void start(int port, @Nullable URI url) throws Exception {
        connection = ApiConnection.builder(Clock.system(), timer)
                .apiClient(Config.fromConfig(new StringReader(plane.kubeconfigFor(name))))
                .build();
        List<KubernetesObject> registered =
                List.of(WebhookProcess.configurations(name).get(0));
        serving = new WebhookServing(
                new ServerSettings(port, null, Set.of(), Duration.ZERO),
                listened -> new CertificateSettings(
                        name,
                        namespace,
                        new CertificateSettings.Source.Own(),
                        true,
                        new BundleTargets(Set.of(crd()), registered, url),
                        CertificateTimes.DEFAULTS),
                seen,
                connection,
                () -> true,
                Clock.system(),
                timer,
                new SimpleMeterRegistry());
        serving.start();
        assertThat(serving.readiness()).isEmpty();
    }

    @AfterEach
    void close() throws ApiException {
        if (serving != null) {
            serving.close();
        }
        if (connection != null) {
            connection.close();
        }
        timer.close();
        configurations.delete(null, name);
        crds.delete(null, crd());
    }

    private JsonObject conversion() throws ApiException {
        return crds.get(null, crd()).getRaw().getAsJsonObject("spec").getAsJsonObject("conversion");
    }

    private String bundle() throws ApiException {
        JsonObject client = conversion().getAsJsonObject("webhook").getAsJsonObject("clientConfig");
        return client.has("caBundle") ? client.get("caBundle").getAsString() : "";
    }

    private String secret() throws ApiException {
        V1Secret found = secrets.get(namespace, name);
        return found == null || found.getData() == null || !found.getData().containsKey("tls.crt")
                ? ""
                : Arrays.toString(found.getData().get("tls.crt"));
    }

    /** Waits until something is as it was, and says how long that took. */
    private static void heals(String what, Callable<Boolean> healed) {
        long begun = System.nanoTime();
        await().pollInterval(Duration.ofMillis(2)).until(healed);
        System.out.printf("%s: healed after %d ms%n", what, (System.nanoTime() - begun) / 1_000_000);
    }

    @Test
    void writesTheBundleAloneAndWritesItAgain() throws Exception {
        install();
        start(0, null);
        String written = bundle();
        String leaf = secret();
        assertThat(written).isNotEmpty();
        assertThat(conversion().toString()).contains("\"service\"").doesNotContain("\"url\"");
        assertThat(configurations.get(null, name).getRaw().toString()).contains(written);

        // As kubectl and helm do with the CRD as it is generated: nothing is lost, and nothing is contested.
        assertThat(crds.patch(null, crd(), new Patch.Apply(definition(), "kubectl", false)))
                .isNotNull();
        assertThat(bundle()).isEqualTo(written);
        assertThat(crds.patch(null, crd(), new Patch.Merge(definition()))).isNotNull();
        assertThat(bundle()).isEqualTo(written);

        JsonObject replaced = JsonParser.parseString(definition()).getAsJsonObject();
        replaced.getAsJsonObject("metadata")
                .add(
                        "resourceVersion",
                        crds.get(null, crd())
                                .getRaw()
                                .getAsJsonObject("metadata")
                                .get("resourceVersion"));
        assertThat(crds.update(new DynamicKubernetesObject(replaced))).isNotNull();
        heals("CRD replaced", () -> bundle().equals(written));
        assertThat(conversion().get("strategy").getAsString()).isEqualTo("Webhook");

        String empty = "[{\"op\": \"remove\", \"path\": \"/webhooks/0/clientConfig/caBundle\"}]";
        assertThat(configurations.patch(null, name, new Patch.Json(empty))).isNotNull();
        heals(
                "caBundle emptied",
                () -> configurations.get(null, name).getRaw().toString().contains(written));

        assertThat(secrets.delete(namespace, name)).isTrue();
        heals("Secret deleted", () -> secret().equals(leaf));
        assertThat(bundle()).isEqualTo(written);
    }

    /** What the documentation says of webhooks that fail. */
    @Test
    @Tag("deep")
    void usersAreToldOfAWebhookThatFails() throws Exception {
        install();
        int port = freePort();
        start(port, URI.create("https://127.0.0.1:" + port));
        ResourceClient<DynamicKubernetesObject> gadgets =
                new ResourceClient<>(admin, namespaced(group, "v2", "Gadget", "gadgets"));
        await().ignoreException(ApiException.class).until(() -> gadgets.create(gadget("first", "a", 1)) != null);
        Callable<?> write = () -> gadgets.create(gadget("second", "a", 1));
        Callable<?> read = () -> gadgets.get(namespace, "first");

        seen.fault = "garbage /validate";
        assertThat(failure("garbage, written", write)).contains("failed calling webhook");
        seen.fault = "garbage /convert";
        assertThat(failure("garbage, read", read)).contains("conversion webhook for");
        seen.fault = "slow /validate";
        assertThat(failure("slow, written", write)).contains("failed calling webhook", "deadline exceeded");
        seen.fault = "slow /convert";
        assertThat(failure("slow, read", read)).contains("conversion webhook for");
        seen.fault = "";
        assertThat(write.call()).isNotNull();

        serving.close();
        assertThat(failure("unreachable, written", write)).contains("connection refused");
        assertThat(failure("unreachable, read", read)).contains("connection refused");
    }

    /** What whoever asks is told, and how soon. */
    private static String failure(String what, Callable<?> call) {
        long begun = System.nanoTime();
        Throwable thrown = catchThrowable(call::call);
        String told = thrown instanceof Exception e ? FailureMessage.words(e) : String.valueOf(thrown);
        System.out.printf("%s: after %d ms: %s%n", what, (System.nanoTime() - begun) / 1_000_000, told);
        return told;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** As Helm, Argo CD and kubectl do by server-side apply, which leaves what another manager owns. */
    @Test
    void whoAppliesAnObjectCanTakeAWebhookAndTheConversionAway() throws Exception {
        install();
        JsonObject first = JsonParser.parseString(configuration()).getAsJsonObject();
        first.addProperty("apiVersion", VALIDATING.apiVersion());
        first.addProperty("kind", VALIDATING.kind());
        JsonObject second = first.deepCopy();
        JsonObject other = second.getAsJsonArray("webhooks").get(0).deepCopy().getAsJsonObject();
        other.addProperty("name", "other.gadgets.example.com");
        second.getAsJsonArray("webhooks").add(other);
        JsonObject converted = JsonParser.parseString(definition()).getAsJsonObject();
        JsonObject unconverted = converted.deepCopy();
        unconverted.getAsJsonObject("spec").remove("conversion");
        assertThat(configurations.delete(null, name)).isTrue();
        assertThat(crds.delete(null, crd())).isTrue();
        await().until(() -> crds.get(null, crd()) == null);
        assertThat(configurations.patch(null, name, new Patch.Apply(second.toString(), "helm", false)))
                .isNotNull();
        assertThat(crds.patch(null, crd(), new Patch.Apply(converted.toString(), "helm", false)))
                .isNotNull();
        start(0, null);
        String written = bundle();
        assertThat(written).isNotEmpty();

        assertThat(configurations.patch(null, name, new Patch.Apply(second.toString(), "helm", false)))
                .isNotNull();
        assertThat(configurations.get(null, name).getRaw().toString().split(written, -1))
                .hasSize(3);
        assertThat(configurations.patch(null, name, new Patch.Apply(first.toString(), "helm", false)))
                .isNotNull();
        assertThat(configurations.get(null, name).getRaw().getAsJsonArray("webhooks"))
                .singleElement()
                .satisfies(webhook -> assertThat(webhook.toString()).contains(written));
        assertThat(crds.patch(null, crd(), new Patch.Apply(unconverted.toString(), "helm", false)))
                .isNotNull();
        assertThat(conversion().get("strategy").getAsString()).isEqualTo("None");
    }

    /** A laptop that serves a cluster; and what a conversion is asked for, whatever is read and however large it is. */
    @Test
    void byUrlTheApiServerAsksForOneObjectAtATime() throws Exception {
        install();
        int port = freePort();
        start(port, URI.create("https://127.0.0.1:" + port));
        assertThat(conversion().toString())
                .contains("\"url\":\"https://127.0.0.1:" + port + "/convert\"")
                .doesNotContain("\"service\"");
        ResourceClient<DynamicKubernetesObject> gadgets =
                new ResourceClient<>(admin, namespaced(group, "v2", "Gadget", "gadgets"));
        await().ignoreException(ApiException.class).until(() -> gadgets.create(gadget("first", "a", 1)) != null);
        for (int i = 0; i < 30; i++) {
            assertThat(gadgets.create(gadget("g" + i, "a", 1))).isNotNull();
        }
        assertThat(gadgets.list(namespace)).hasSize(31);
        assertThat(seen.admissions).hasPositiveValue();
        assertThat(seen.conversions.get()).isGreaterThan(31);
        assertThat(seen.mostObjects).hasValue(1);

        // Refused by etcd for its size, after it has been converted.
        assertThatThrownBy(() -> gadgets.create(gadget("large", "<", LARGEST)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("larger than max");
        System.out.printf("%d bytes are a conversion of %d bytes%n", LARGEST, seen.largest.get());
        assertThat(seen.largest.get()).isBetween(6L * LARGEST, 32L << 20);
    }

    private DynamicKubernetesObject gadget(String gadget, String character, int length) {
        return new DynamicKubernetesObject(
                JsonParser.parseString("""
                {"apiVersion": "%s/v2", "kind": "Gadget", "metadata": {"name": "%s", "namespace": "%s",
                 "labels": {"%s": ""}}, "spec": {"text": "%s"}}
                """.formatted(group, gadget, namespace, gadget, character.repeat(length)))
                        .getAsJsonObject());
    }
}

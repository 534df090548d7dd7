package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import okhttp3.Interceptor;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that look after the certificates of two CRDs on an embedded API server, in virtual time. After each request of each
 * of them, every leaf that a replica serves must be trusted by every bundle that an API server may have: those of the last minute.
 */
final class CertificateWorld implements AutoCloseable {

    static final String NAME = "hooks";
    static final List<String> CRDS = List.of("apples.example.com", "pears.example.com");
    static final ResourceType<DynamicKubernetesObject> CRD = ResourceType.cluster(
            DynamicKubernetesObject.class,
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions");

    /** As usual, with authorities that last two years. */
    private static final CertificateTimes TIMES = new CertificateTimes(
            Duration.ofDays(730),
            Duration.ofDays(200),
            Duration.ofDays(90),
            Duration.ofDays(30),
            Duration.ofMinutes(1),
            Duration.ofDays(7));

    final ApiServer server = ApiServer.start();
    final VirtualTime time = new VirtualTime();
    final List<Replica> replicas = new ArrayList<>();
    final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
    final ResourceClient<DynamicKubernetesObject> crds = new ResourceClient<>(server.client(), CRD);

    /** Each CRD's bundles by the time from which it has had them. */
    private final Map<String, TreeMap<Instant, List<X509Certificate>>> history = new TreeMap<>();

    /** What has been found out: signatures take long to check. */
    private final Map<List<Object>, Boolean> trusted = new HashMap<>();

    /** Whether all that is served must be trusted. Not before the first bundles, nor after somebody has emptied one. */
    boolean strict;

    CertificateWorld() throws ApiException {
        CRDS.forEach(this::install);
        var made = secrets.create(new V1Secret()
                .type("Opaque")
                .metadata(new V1ObjectMeta().name(NAME).namespace("default")));
        assertThat(OwnCertificates.data(made)).isEmpty();
    }

    /** Puts a CRD there as it is generated: with a Service, and without a bundle. */
    void install(String name) {
        String plural = name.substring(0, name.indexOf('.'));
        String singular = plural.substring(0, plural.length() - 1);
        String json = """
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "%s"},
                 "spec": {"group": "example.com", "scope": "Namespaced",
                  "names": {"plural": "%s", "singular": "%s", "kind": "%s", "listKind": "%sList"},
                  "versions": [{"name": "v1", "served": true, "storage": true,
                   "schema": {"openAPIV3Schema": {"type": "object"}}}],
                  "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                   "clientConfig": {"service":
                    {"name": "hooks", "namespace": "default", "path": "/convert", "port": 443}}}}}}
                """.formatted(name, plural, singular, singular, singular);
        try {
            assertThat(crds.create(new DynamicKubernetesObject(
                            JsonParser.parseString(json).getAsJsonObject())))
                    .isNotNull();
        } catch (ApiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Thrown in place of a request or its answer: the process has ended. */
    static final class Killed extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /** A process. */
    final class Replica implements Interceptor {

        private final OwnCertificates work;
        volatile boolean leads;

        @Nullable
        CertificateSecret serves;

        /** How many requests it sends before it is killed, and whether the last one arrives. */
        int requestsLeft = Integer.MAX_VALUE;

        boolean lastArrives;

        Replica(boolean leads) {
            this.leads = leads;
            ApiClient client = server.client();
            client.setHttpClient(
                    client.getHttpClient().newBuilder().addInterceptor(this).build());
            BundleTargets targets = new BundleTargets(Set.copyOf(CRDS), List.of(), null);
            CertificateSettings settings =
                    new CertificateSettings(NAME, "default", new Source.Own(), true, targets, TIMES);
            work = new OwnCertificates(
                    client,
                    settings,
                    new Bundles(client, targets, NAME),
                    served -> serves = served,
                    () -> this.leads,
                    time);
        }

        @Override
        public Response intercept(Chain chain) throws IOException {
            if (requestsLeft-- <= 0) {
                if (lastArrives) {
                    chain.proceed(chain.request()).close();
                }
                throw new Killed();
            }
            Response response = chain.proceed(chain.request());
            if (!chain.request().method().equals("GET")) {
                check();
            }
            return response;
        }

        Duration look() throws ApiException {
            Duration wait = work.look();
            check();
            return wait;
        }

        X509Certificate leaf() {
            assertThat(serves).isNotNull();
            assertThat(serves.leaf()).isNotNull();
            return serves.leaf().certificate();
        }
    }

    Replica replica(boolean leads) {
        Replica made = new Replica(leads);
        replicas.add(made);
        return made;
    }

    /** What an API server trusts of a CRD now. */
    List<X509Certificate> bundle(String crd) {
        try {
            DynamicKubernetesObject found = crds.get(null, crd);
            JsonObject client = found == null
                    ? new JsonObject()
                    : found.getRaw()
                            .getAsJsonObject("spec")
                            .getAsJsonObject("conversion")
                            .getAsJsonObject("webhook")
                            .getAsJsonObject("clientConfig");
            JsonElement bundle = client.get("caBundle");
            return bundle == null
                    ? List.of()
                    : Pem.certificates(
                            new String(Base64.getDecoder().decode(bundle.getAsString()), StandardCharsets.UTF_8));
        } catch (ApiException e) {
            throw new IllegalStateException(e);
        }
    }

    CertificateSecret secret() throws ApiException {
        V1Secret found = secrets.get("default", NAME);
        assertThat(found).isNotNull();
        return CertificateSecret.of(OwnCertificates.data(found));
    }

    void patchSecret(String json) throws ApiException {
        assertThat(secrets.patch("default", NAME, new Patch.Merge(json))).isNotNull();
    }

    void emptyBundle(String crd) throws ApiException {
        assertThat(crds.patch(
                        null,
                        crd,
                        new Patch.Merge(
                                "{\"spec\":{\"conversion\":{\"webhook\":{\"clientConfig\":{\"caBundle\":null}}}}}")))
                .isNotNull();
    }

    /** As somebody does by hand. */
    void setBundle(String crd, List<X509Certificate> authorities) throws ApiException {
        String bundle = Base64.getEncoder().encodeToString(Pem.of(authorities).getBytes(StandardCharsets.UTF_8));
        assertThat(crds.patch(
                        null,
                        crd,
                        new Patch.Merge(
                                "{\"spec\":{\"conversion\":{\"webhook\":{\"clientConfig\":{\"caBundle\":\"%s\"}}}}}"
                                        .formatted(bundle))))
                .isNotNull();
    }

    /** How often the bundles of a CRD have changed. */
    int changes(String crd) {
        return history.get(crd).size();
    }

    /** All look twice: what one does the first time, the others see. Returns how long until the first has something to do. */
    Duration settle() throws ApiException {
        Duration next = Duration.ofDays(100_000);
        for (Replica each : replicas) {
            each.look();
        }
        for (Replica each : replicas) {
            Duration wait = each.look();
            next = wait.compareTo(next) < 0 ? wait : next;
        }
        return next;
    }

    private boolean trusts(List<X509Certificate> bundle, KeyedCertificate leaf) {
        return trusted.computeIfAbsent(List.of(bundle, leaf), pair -> leaf.isSignedBy(bundle));
    }

    synchronized void check() {
        for (String crd : CRDS) {
            List<X509Certificate> now = bundle(crd);
            TreeMap<Instant, List<X509Certificate>> before = history.computeIfAbsent(crd, name -> new TreeMap<>());
            if (before.isEmpty() || !before.lastEntry().getValue().equals(now)) {
                before.put(time.now(), now);
            }
            if (!strict) {
                continue;
            }
            Instant oldest = before.floorKey(time.now().minus(TIMES.settle()).plusSeconds(1));
            for (List<X509Certificate> bundle :
                    before.tailMap(oldest == null ? before.firstKey() : oldest).values()) {
                for (Replica replica : replicas) {
                    CertificateSecret serves = replica.serves;
                    if (serves != null && serves.leaf() != null) {
                        assertThat(trusts(bundle, serves.leaf()))
                                .as("%s at %s", crd, time.now())
                                .isTrue();
                        assertThat(serves.leaf().end()).isAfter(time.now());
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

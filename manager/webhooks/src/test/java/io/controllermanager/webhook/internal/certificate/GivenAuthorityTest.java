package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How another authority comes to replicas whose certificates are in files, on the embedded API server and in virtual time. */
class GivenAuthorityTest {

    private static final String CRD = CertificateWorld.CRDS.get(0);

    private final CertificateWorld world;
    private final CertificateMaker maker;
    private final KeyedCertificate authority;
    private final KeyedCertificate other;

    @TempDir
    private Path folder;

    GivenAuthorityTest() throws ApiException {
        world = new CertificateWorld();
        maker = new CertificateMaker("given", CertificateTimes.DEFAULTS, world.time);
        authority = maker.authority();
        other = maker.authority();
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** A process with a mount of its own. */
    private final class Replica {

        private final Path mount;
        private final GivenCertificates work;
        private final List<KeyedCertificate> served = new ArrayList<>();

        /** Whether the API server refuses what it writes. */
        private boolean refused;

        Replica(String name) throws IOException {
            mount = Files.createDirectory(folder.resolve(name));
            ApiClient client = world.server.client();
            client.setHttpClient(client.getHttpClient()
                    .newBuilder()
                    .addInterceptor(chain -> {
                        Response answer = chain.proceed(
                                refused && !chain.request().method().equals("GET")
                                        ? chain.request()
                                                .newBuilder()
                                                .url(chain.request().url().resolve("/nothing"))
                                                .build()
                                        : chain.request());
                        return refused && answer.code() == 404
                                ? answer.newBuilder().code(403).build()
                                : answer;
                    })
                    .build());
            BundleTargets targets = new BundleTargets(Set.copyOf(CertificateWorld.CRDS), List.of(), null);
            work = new GivenCertificates(
                    client,
                    new CertificateSettings(
                            CertificateWorld.NAME,
                            "default",
                            new Source.Files(mount),
                            true,
                            targets,
                            CertificateTimes.DEFAULTS),
                    new Bundles(client, targets, CertificateWorld.NAME),
                    secret -> served.add(secret.leaf()),
                    world.time);
        }

        Replica mount(KeyedCertificate leaf, KeyedCertificate signer) throws IOException {
            Files.writeString(mount.resolve(CertificateSecret.AUTHORITIES), signer.certificatePem());
            Files.writeString(mount.resolve(CertificateSecret.LEAF), leaf.certificatePem());
            Files.writeString(mount.resolve(CertificateSecret.LEAF_KEY), leaf.keyPem());
            return this;
        }

        @Nullable
        KeyedCertificate serves() {
            return served.isEmpty() ? null : served.get(served.size() - 1);
        }

        /** Until it has nothing to write and nothing to wait for. */
        void settle() throws ApiException {
            world.time.advance(work.look());
            for (Duration past = Duration.ZERO;
                    past.compareTo(CertificateTimes.DEFAULTS.settle()) <= 0;
                    past = past.plusSeconds(5)) {
                assertThat(work.look()).isPositive();
                world.time.advance(Duration.ofSeconds(5));
            }
            assertThat(work.look()).isPositive();
        }
    }

    private KeyedCertificate leaf(KeyedCertificate signer) {
        return maker.leaf(signer, Set.of("hooks.default.svc"));
    }

    private List<X509Certificate> bundle() {
        return world.bundle(CRD);
    }

    @Test
    void replicasOfWhichOneSeesAnotherAuthorityDoNotWriteInTurn() throws Exception {
        Replica ahead = new Replica("ahead").mount(leaf(authority), authority);
        Replica behind = new Replica("behind").mount(leaf(authority), authority);
        ahead.settle();
        behind.settle();
        // It starts anew, and knows nothing of what there was.
        Replica restarted = new Replica("restarted").mount(leaf(other), other);

        restarted.settle();
        List<X509Certificate> both = bundle();
        behind.settle();
        ahead.mount(leaf(other), other).settle();
        restarted.settle();

        assertThat(both).containsExactly(other.certificate(), authority.certificate());
        assertThat(bundle()).isEqualTo(both);
    }

    @Test
    void anAuthorityThatHasRunOutLeavesWithTheNextChange() throws Exception {
        new Replica("a").mount(leaf(authority), authority).settle();
        world.time.advance(Duration.between(world.time.now(), authority.end()));
        KeyedCertificate later = maker.authority();

        new Replica("b").mount(leaf(later), later).settle();

        assertThat(bundle()).containsExactly(later.certificate());
    }

    @Test
    void aLeafOfAnotherAuthorityIsServedOnceAllBundlesHaveSettled() throws Exception {
        KeyedCertificate old = leaf(authority);
        KeyedCertificate young = leaf(other);
        Replica replica = new Replica("a").mount(old, authority);
        assertThat(replica.work.look()).isEqualTo(Duration.ofSeconds(1));
        assertThat(replica.serves()).isEqualTo(old);
        replica.settle();

        replica.mount(young, other);
        replica.refused = true;
        assertThatThrownBy(replica.work::look).isInstanceOf(ApiException.class);
        assertThat(replica.serves()).as("its authority is in no bundle").isEqualTo(old);

        replica.refused = false;
        assertThat(replica.work.look()).isEqualTo(Duration.ofSeconds(1));
        assertThat(bundle()).contains(other.certificate());
        assertThat(replica.work.look()).isEqualTo(Duration.ofSeconds(5));
        world.time.advance(CertificateTimes.DEFAULTS.settle().minusSeconds(1));
        assertThat(replica.work.look()).isEqualTo(Duration.ofSeconds(1));
        assertThat(replica.serves()).as("not every API server may trust it").isEqualTo(old);
        world.time.advance(Duration.ofSeconds(1));
        assertThat(replica.work.look()).isEqualTo(Duration.ofSeconds(5));
        assertThat(replica.serves()).isEqualTo(young);
    }

    @Test
    void anotherLeafOfTheSameAuthorityIsServedAtOnce() throws Exception {
        Replica replica = new Replica("a").mount(leaf(authority), authority);
        replica.settle();
        KeyedCertificate renewed = leaf(authority);

        replica.mount(renewed, authority).work.look();

        assertThat(replica.serves()).isEqualTo(renewed);
    }

    @Test
    void whereNothingElseIsValidALeafDoesNotWait() throws Exception {
        KeyedCertificate old = leaf(authority);
        Replica replica = new Replica("a").mount(old, authority);
        replica.settle();
        world.time.advance(Duration.between(world.time.now(), old.end()));
        KeyedCertificate young = leaf(other);
        replica.refused = true;

        assertThatThrownBy(replica.mount(young, other).work::look).isInstanceOf(ApiException.class);

        assertThat(replica.serves()).isEqualTo(young);
    }

    /** What somebody takes out of a bundle by hand is not brought back. */
    @Test
    void anAuthorityThatIsTakenOutStaysOut() throws Exception {
        Replica replica = new Replica("a").mount(leaf(authority), authority);
        replica.settle();
        replica.mount(leaf(other), other).settle();
        assertThat(bundle()).hasSize(2);

        for (String crd : CertificateWorld.CRDS) {
            world.setBundle(crd, List.of(other.certificate()));
        }
        replica.settle();

        assertThat(bundle()).containsExactly(other.certificate());
    }
}

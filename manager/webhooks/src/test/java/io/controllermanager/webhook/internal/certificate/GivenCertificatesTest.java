package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of somebody else, in files and in a Secret. */
class GivenCertificatesTest {

    private static final String CRD = CertificateWorld.CRDS.get(0);

    private final CertificateWorld world;
    private final List<KeyedCertificate> served = new ArrayList<>();
    private final CertificateMaker maker;

    GivenCertificatesTest() throws ApiException {
        world = new CertificateWorld();
        maker = new CertificateMaker("other", CertificateTimes.DEFAULTS, world.time);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private GivenCertificates given(Source source, boolean injects) {
        ApiClient client = world.server.client();
        BundleTargets targets = new BundleTargets(Set.of(CRD), List.of(), null);
        return new GivenCertificates(
                client,
                new CertificateSettings(
                        CertificateWorld.NAME, "default", source, injects, targets, CertificateTimes.DEFAULTS),
                new Bundles(client, targets, CertificateWorld.NAME),
                secret -> served.add(secret.leaf()),
                world.time);
    }

    private KeyedCertificate leaf(KeyedCertificate authority) {
        return maker.leaf(authority, List.of("hooks.default.svc"));
    }

    @Test
    void filesAreReadAgain(@TempDir Path directory) throws ApiException, IOException {
        GivenCertificates files = given(new Source.Files(directory), false);
        assertThatThrownBy(files::look).isInstanceOf(ApiException.class).hasMessageContaining("no certificate");
        KeyedCertificate first = leaf(maker.authority());
        Files.writeString(directory.resolve("tls.crt"), first.certificatePem());
        Files.writeString(directory.resolve("tls.key"), first.keyPem());

        assertThat(files.look()).isEqualTo(Duration.ofSeconds(5));
        assertThat(served).containsExactly(first);

        KeyedCertificate second = leaf(maker.authority());
        Files.writeString(directory.resolve("tls.crt"), second.certificatePem());
        assertThatThrownBy(files::look).isInstanceOf(ApiException.class).hasMessageContaining("belong together");
        Files.writeString(directory.resolve("tls.key"), second.keyPem());
        files.look();
        assertThat(served).containsExactly(first, second);
        assertThat(world.bundle(CRD)).as("somebody else writes it").isEmpty();
    }

    @Test
    void whereTheAuthorityOfASecretChangesTheFormerStaysTrusted() throws ApiException {
        KeyedCertificate firstAuthority = maker.authority();
        KeyedCertificate secondAuthority = maker.authority();
        KeyedCertificate first = leaf(firstAuthority);
        KeyedCertificate second = leaf(secondAuthority);
        V1Secret secret =
                new V1Secret().metadata(new V1ObjectMeta().name("issued").namespace("default"));
        GivenCertificates given = given(new Source.OtherSecret("issued"), true);
        assertThatThrownBy(given::look).isInstanceOf(ApiException.class).hasMessageContaining("no certificate");

        assertThat(world.secrets.create(secret.data(data(firstAuthority, first))))
                .isNotNull();
        given.look();
        assertThat(served).containsExactly(first);
        assertThat(world.bundle(CRD)).containsExactly(firstAuthority.certificate());

        assertThat(world.secrets.update(secret.data(data(secondAuthority, second))))
                .isNotNull();
        given.look();
        assertThat(served).as("the bundle has to settle").containsExactly(first);
        assertThat(world.bundle(CRD)).containsExactly(secondAuthority.certificate(), firstAuthority.certificate());

        given.look();
        world.time.advance(CertificateTimes.DEFAULTS.settle());
        given.look();
        assertThat(served).containsExactly(first, second);
    }

    private static Map<String, byte[]> data(KeyedCertificate authority, KeyedCertificate leaf) {
        return Map.of(
                "ca.crt", authority.certificatePem().getBytes(StandardCharsets.UTF_8),
                "tls.crt", leaf.certificatePem().getBytes(StandardCharsets.UTF_8),
                "tls.key", leaf.keyPem().getBytes(StandardCharsets.UTF_8));
    }
}

package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateLoopTest {

    @Test
    void failuresAreTriedAgainLessAndLessOften(@TempDir Path folder) throws Exception {
        VirtualTime time = new VirtualTime();
        CertificateMaker maker = new CertificateMaker("given", CertificateTimes.DEFAULTS, time);
        KeyedCertificate authority = maker.authority();
        KeyedCertificate leaf = maker.leaf(authority, Set.of("hooks.default.svc"));
        CertificateSettings settings = new CertificateSettings(
                "hooks",
                "default",
                new Source.Files(folder),
                false,
                new BundleTargets(Set.of(), List.of(), null),
                CertificateTimes.DEFAULTS);
        List<KeyedCertificate> served = new ArrayList<>();
        try (CertificateWorld world = new CertificateWorld();
                ApiConnection connection = ApiConnection.builder(time, time)
                        .apiClient(world.server.client())
                        .build();
                CertificateLoop loop = new CertificateLoop(
                        settings, connection, served::add, () -> false, time, time, new SimpleMeterRegistry())) {
            for (int seconds : List.of(1, 2, 4, 8, 16, 32, 60, 60)) {
                assertThat(loop.look()).hasSeconds(seconds);
            }

            Files.writeString(folder.resolve(CertificateSecret.LEAF), leaf.certificatePem());
            Files.writeString(folder.resolve(CertificateSecret.LEAF_KEY), leaf.keyPem());
            assertThat(loop.look()).hasSeconds(5);
            assertThat(served).containsExactly(leaf);

            Files.delete(folder.resolve(CertificateSecret.LEAF_KEY));
            assertThat(loop.look()).hasSeconds(1);
        }
    }
}

package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.transport.Renewable;
import io.controllermanager.time.Clock;
import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Certificates that somebody else makes and renews, such as cert-manager. */
final class GivenCertificates implements CertificateWork {

    /** Changes of a Secret are told. */
    private static final Duration SECRET_LIFETIME = Duration.ofMinutes(10);

    private final CertificateSettings settings;
    private final ResourceClient<V1Secret> secrets;
    private final Bundles bundles;
    private final Consumer<CertificateSecret> serve;
    private final Clock clock;
    private List<X509Certificate> authorities = List.of();

    /** Those before them, so that what they have signed is trusted for as long as replicas serve it. */
    private List<X509Certificate> former = List.of();

    GivenCertificates(
            ApiClient client,
            CertificateSettings settings,
            Bundles bundles,
            Consumer<CertificateSecret> serve,
            Clock clock) {
        this.settings = settings;
        this.secrets = new ResourceClient<>(client, ResourceTypes.SECRET);
        this.bundles = bundles;
        this.serve = serve;
        this.clock = clock;
    }

    @Override
    public Duration look() throws ApiException {
        CertificateSecret given = CertificateSecret.of(read(), settings.injectsBundles());
        // Half of the files may be new.
        if (!given.isServable(clock.now())) {
            throw new ApiException(
                    given.faults().isEmpty()
                            ? settings.source() + " has no certificate that is valid now"
                            : settings.source() + ": " + String.join("; ", given.faults()));
        }
        try {
            if (settings.injectsBundles()) {
                trust(given.authorities());
            }
        } finally {
            serve.accept(given);
        }
        return settings.source() instanceof Source.Files ? Renewable.FILE_LIFETIME : SECRET_LIFETIME;
    }

    private void trust(List<X509Certificate> present) throws ApiException {
        if (!present.equals(authorities)) {
            former = authorities;
            authorities = present;
        }
        List<X509Certificate> all =
                Stream.concat(present.stream(), former.stream()).distinct().toList();
        for (RegisteredTarget target : bundles.lacking(present)) {
            bundles.write(target, all);
        }
    }

    private Map<String, byte[]> read() throws ApiException {
        if (settings.source() instanceof Source.Files files) {
            return files(files.directory());
        }
        V1Secret secret = secrets.get(settings.namespace(), Objects.requireNonNull(settings.secret()));
        return secret == null ? Map.of() : OwnCertificates.data(secret);
    }

    private static Map<String, byte[]> files(Path directory) {
        Map<String, byte[]> read = new HashMap<>();
        for (String name : List.of(CertificateSecret.AUTHORITIES, CertificateSecret.LEAF, CertificateSecret.LEAF_KEY)) {
            try {
                read.put(name, Files.readAllBytes(directory.resolve(name)));
            } catch (NoSuchFileException e) {
                // What is missing is told by what is of use without it.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return read;
    }
}

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
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that somebody else makes and renews, such as cert-manager. Replicas may see a new one at different times: what a
 * bundle trusts beside it stays there until it runs out, and so they agree. A new certificate is served once all bundles have had its
 * authority for a while, or where nothing else is valid.
 */
final class GivenCertificates implements CertificateLoop.Work {

    /** Changes of a Secret are told. */
    private static final Duration SECRET_LIFETIME = Duration.ofMinutes(10);

    /** Then it is seen whether all bundles have what was written. */
    private static final Duration AFTER_WRITE = Duration.ofSeconds(1);

    private final CertificateSettings settings;
    private final ResourceClient<V1Secret> secrets;
    private final Bundles bundles;
    private final Consumer<CertificateSecret> serve;
    private final Clock clock;

    /** What was last served. */
    private @Nullable CertificateSecret served;

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
        Instant now = clock.now();
        // Half of the files may be new.
        if (!given.isServable(now)) {
            throw new ApiException(
                    given.faults().isEmpty()
                            ? settings.source() + " has no certificate that is valid now"
                            : settings.source() + ": " + String.join("; ", given.faults()));
        }
        Duration lifetime = settings.source() instanceof Source.Files ? Renewable.FILE_LIFETIME : SECRET_LIFETIME;
        boolean waits = settings.injectsBundles()
                && served != null
                && served.isServable(now)
                && !Objects.equals(served.leaf(), given.leaf());
        if (!waits) {
            take(given);
        }
        if (settings.injectsBundles()) {
            Instant complete = bundles.completeSince(given.authorities(), now);
            if (complete == null) {
                trust(given.authorities(), now);
                return AFTER_WRITE;
            }
            Duration left = Duration.between(now, complete.plus(settings.times().settle()));
            if (!left.isNegative() && !left.isZero()) {
                return left.compareTo(lifetime) < 0 ? left : lifetime;
            }
            if (waits) {
                take(given);
            }
        }
        return lifetime;
    }

    private void take(CertificateSecret given) {
        served = given;
        serve.accept(given);
    }

    private void trust(List<X509Certificate> present, Instant now) throws ApiException {
        for (RegisteredTarget target : bundles.lacking(present)) {
            Stream<X509Certificate> others = target.trusted().stream()
                    .filter(each -> now.isBefore(each.getNotAfter().toInstant()));
            bundles.write(
                    target, Stream.concat(present.stream(), others).distinct().toList());
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

package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is measured of certificates: until when they last, how often they were renewed, and how often that failed. */
final class CertificateMetrics implements AutoCloseable {

    private static final String EXPIRY = "controller.manager.webhook.certificate.expiry.timestamp.seconds";

    private final Meters meters;
    private final Counter renewals;
    private final Counter failures;
    private volatile @Nullable KeyedCertificate leaf;
    private volatile double leafEnd = Double.NaN;
    private volatile double authorityEnd = Double.NaN;

    CertificateMetrics(MeterRegistry registry) {
        meters = new Meters(registry, Tags.empty());
        String description = "When a certificate of the webhooks' server ends, in seconds since 1970.";
        meters.gauge(EXPIRY, description, this, each -> each.leafEnd, "certificate", "leaf");
        meters.gauge(EXPIRY, description, this, each -> each.authorityEnd, "certificate", "ca");
        renewals = meters.counter(
                "controller.manager.webhook.certificate.renewals",
                "How often another certificate was taken into use without a restart.");
        failures = meters.counter(
                "controller.manager.webhook.certificate.failures",
                "How often certificates or their caBundles could not be read or written.");
    }

    void served(KeyedCertificate taken, List<X509Certificate> authorities) {
        if (leaf != null && !taken.equals(leaf)) {
            renewals.increment();
        }
        leaf = taken;
        leafEnd = taken.end().getEpochSecond();
        authorityEnd = authorities.stream()
                .filter(each -> taken.isSignedBy(List.of(each)))
                .mapToDouble(each -> each.getNotAfter().toInstant().getEpochSecond())
                .max()
                .orElse(Double.NaN);
    }

    void failed() {
        failures.increment();
    }

    @Override
    public void close() {
        meters.close();
    }
}

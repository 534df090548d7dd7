package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.security.cert.X509Certificate;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** What is measured of certificates: until when they last, how often they were renewed, and how often that failed. */
final class CertificateMetrics implements AutoCloseable {

    private static final String EXPIRY = "controller.manager.webhook.certificate.expiry.timestamp.seconds";

    private final Meters meters;
    private final Counter renewals;
    private final Counter failures;
    private volatile @Nullable CertificateSecret served;

    CertificateMetrics(MeterRegistry registry) {
        meters = new Meters(registry, Tags.empty());
        String description = "When a certificate of the webhooks' server ends, in seconds since 1970.";
        meters.gauge(EXPIRY, description, this, CertificateMetrics::leafEnd, "certificate", "leaf");
        meters.gauge(EXPIRY, description, this, CertificateMetrics::authorityEnd, "certificate", "ca");
        renewals = meters.counter(
                "controller.manager.webhook.certificate.renewals",
                "How often another certificate was taken into use without a restart.");
        failures = meters.counter(
                "controller.manager.webhook.certificate.failures",
                "How often certificates or their caBundles could not be read or written.");
    }

    void served(CertificateSecret taken) {
        CertificateSecret before = served;
        if (before != null && !taken.equals(before) && !java.util.Objects.equals(before.leaf(), taken.leaf())) {
            renewals.increment();
        }
        served = taken;
    }

    void failed() {
        failures.increment();
    }

    private double leafEnd() {
        CertificateSecret present = served;
        return present == null || present.leaf() == null
                ? Double.NaN
                : present.leaf().end().getEpochSecond();
    }

    /** Of the one that signs; of the one that lasts longest where it is not known. */
    private double authorityEnd() {
        CertificateSecret present = served;
        if (present == null) {
            return Double.NaN;
        }
        KeyedCertificate signer = present.signer();
        return signer != null
                ? signer.end().getEpochSecond()
                : present.authorities().stream()
                        .map(X509Certificate::getNotAfter)
                        .max(Comparator.naturalOrder())
                        .map(end -> end.toInstant().getEpochSecond() + 0.0)
                        .orElse(Double.NaN);
    }

    @Override
    public void close() {
        meters.close();
    }
}

package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.spring.config.ConfigurationError;
import io.controllermanager.spring.config.ConfigurationException;
import io.controllermanager.webhook.autoconfigure.WebhookProperties.Certificate;
import io.controllermanager.webhook.internal.certificate.BundleTargets;
import io.controllermanager.webhook.internal.certificate.CertificateSettings;
import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.controllermanager.webhook.internal.certificate.CertificateTimes;
import io.controllermanager.webhook.internal.registration.Registration;
import io.controllermanager.webhook.internal.registration.Webhooks;
import io.controllermanager.webhook.internal.serving.ServerSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What properties make of how webhooks are served.
 *
 * @param local whether the API server runs in this process
 */
record WebhookSettings(WebhookProperties properties, Webhooks webhooks, boolean local) {

    private static final String PREFIX = "controller-manager.webhooks.";

    /** By then nobody is sent to a pod that is told to stop: its endpoint is taken out when that begins. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    WebhookSettings {
        if (!properties.name().matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")) {
            throw invalid("name", properties.name(), "it must be a DNS label, as the name of a Service is");
        }
        if (properties.port() < 0 || properties.port() > 65_535) {
            throw invalid("port", properties.port(), "a port is from 0 to 65535");
        }
        URI url = properties.url();
        if (url != null && (!"https".equals(url.getScheme()) || url.getHost() == null)) {
            throw invalid("url", url, "the API server calls https://host:port alone");
        }
        if (!properties.clientNames().isEmpty() && properties.clientCaFile() == null) {
            throw invalid(
                    "client-names",
                    properties.clientNames(),
                    "it needs client-ca-file, or nobody is asked for a certificate");
        }
        Certificate certificate = properties.certificate();
        if (certificate.directory() != null && certificate.secretName() != null) {
            throw invalid("certificate.directory", certificate.directory(), "certificate.secret-name is given too");
        }
        if (source(certificate) instanceof Source.Own && !certificate.injectCaBundle()) {
            throw invalid(
                    "certificate.inject-ca-bundle",
                    false,
                    "nobody else can write it where the process makes certificates");
        }
    }

    private static ConfigurationException invalid(String property, Object value, String problem) {
        return new ConfigurationException(
                List.of(new ConfigurationError(PREFIX + property, value.toString(), null, problem)));
    }

    ServerSettings server() {
        return new ServerSettings(
                local ? 0 : properties.port(),
                properties.clientCaFile(),
                properties.clientNames(),
                local ? Duration.ZERO : GRACE);
    }

    /**
     * How certificates are looked after.
     *
     * @param ownNamespace null if the access to the API server does not say
     * @param port that is listened on
     */
    CertificateSettings certificates(@Nullable String ownNamespace, int port) {
        String namespace = Objects.requireNonNullElse(ownNamespace, "default");
        URI url = local ? URI.create("https://127.0.0.1:" + port) : properties.url();
        Registration registration = new Registration(properties.name(), namespace, url);
        return new CertificateSettings(
                properties.name(),
                namespace,
                source(properties.certificate()),
                properties.certificate().injectCaBundle(),
                new BundleTargets(Set.copyOf(webhooks.convertedTypes()), registration.configurations(webhooks), url),
                CertificateTimes.DEFAULTS);
    }

    private static Source source(Certificate certificate) {
        if (certificate.directory() != null) {
            return new Source.Files(certificate.directory());
        }
        return certificate.secretName() != null ? new Source.OtherSecret(certificate.secretName()) : new Source.Own();
    }
}

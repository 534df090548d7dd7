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
        if (!properties.getName().matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")) {
            throw invalid("name", properties.getName(), "it must be a DNS label, as the name of a Service is");
        }
        if (properties.getPort() < 0 || properties.getPort() > 65_535) {
            throw invalid("port", properties.getPort(), "a port is from 0 to 65535");
        }
        URI url = properties.getUrl();
        if (url != null && (!"https".equals(url.getScheme()) || url.getHost() == null)) {
            throw invalid("url", url, "the API server calls https://host:port alone");
        }
        if (!properties.getClientNames().isEmpty() && properties.getClientCaFile() == null) {
            throw invalid(
                    "client-names",
                    properties.getClientNames(),
                    "it needs client-ca-file, or nobody is asked for a certificate");
        }
        Certificate certificate = properties.getCertificate();
        switch (certificate.getSource()) {
            case FILES -> {
                if (certificate.getDirectory() == null) {
                    throw invalid("certificate.directory", null, "it must be given where certificate.source is files");
                }
            }
            case SECRET -> {
                if (certificate.getSecretName() == null) {
                    throw invalid(
                            "certificate.secret-name", null, "it must be given where certificate.source is secret");
                }
            }
            case OWN -> {
                if (!certificate.isInjectCaBundle()) {
                    throw invalid(
                            "certificate.inject-ca-bundle",
                            false,
                            "with certificate.source own, nobody else can write it");
                }
            }
        }
    }

    private static ConfigurationException invalid(String property, @Nullable Object value, String problem) {
        String shown = value == null ? null : value.toString();
        return new ConfigurationException(List.of(new ConfigurationError(PREFIX + property, shown, null, problem)));
    }

    ServerSettings server() {
        return new ServerSettings(
                local ? 0 : properties.getPort(),
                properties.getClientCaFile(),
                properties.getClientNames(),
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
        URI url = local ? URI.create("https://127.0.0.1:" + port) : properties.getUrl();
        Registration registration = new Registration(properties.getName(), namespace, url);
        return new CertificateSettings(
                properties.getName(),
                namespace,
                source(),
                properties.getCertificate().isInjectCaBundle(),
                new BundleTargets(Set.copyOf(webhooks.convertedTypes()), registration.configurations(webhooks), url),
                CertificateTimes.DEFAULTS);
    }

    private Source source() {
        Certificate certificate = properties.getCertificate();
        return switch (certificate.getSource()) {
            case OWN -> new Source.Own();
            case FILES -> new Source.Files(Objects.requireNonNull(certificate.getDirectory()));
            case SECRET -> new Source.OtherSecret(Objects.requireNonNull(certificate.getSecretName()));
        };
    }
}

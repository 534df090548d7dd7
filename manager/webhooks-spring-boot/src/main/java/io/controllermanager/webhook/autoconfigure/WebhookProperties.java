package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.webhook.internal.registration.WebhookNames;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties {@code controller-manager.webhooks.*}. */
@ConfigurationProperties("controller-manager.webhooks")
public final class WebhookProperties {

    /** Whether webhooks are served, and what is stored in an old version is migrated. */
    private boolean enabled = true;

    /** Name of the Secret with certificates, of the Service and of both webhook configurations. Unless set, controller-manager-webhooks. */
    private String name = WebhookNames.DEFAULT_NAME;

    /** Port that webhooks are served on. Unless set, 9443. */
    private int port = WebhookNames.PORT;

    /** Where the API server reaches this process, such as https://host:9443, if no Service leads there. */
    private @Nullable URI url;

    /** File with the certificate authorities in PEM that must have signed the certificate of whoever asks; none to let everybody ask. */
    private @Nullable Path clientCaFile;

    /** Common names of the certificates that may ask, where one is asked for; empty for all. */
    private Set<String> clientNames = Set.of();

    private final Certificate certificate = new Certificate();

    /** Where certificates come from. */
    public enum CertificateSource {
        /** The process makes them, and keeps them in its Secret. */
        OWN,
        /** Files in a directory. */
        FILES,
        /** A Secret that somebody else looks after, such as cert-manager. */
        SECRET
    }

    /** Properties {@code controller-manager.webhooks.certificate.*}. */
    public static final class Certificate {

        /** Where certificates come from. */
        private CertificateSource source = CertificateSource.OWN;

        /** Directory with tls.crt, tls.key and ca.crt, for the source files. */
        private @Nullable Path directory;

        /** Name of the Secret with tls.crt, tls.key and ca.crt, for the source secret. */
        private @Nullable String secretName;

        /** Whether the process writes caBundle; false where another does, such as cert-manager's injector. */
        private boolean injectCaBundle = true;

        public CertificateSource getSource() {
            return source;
        }

        public void setSource(CertificateSource source) {
            this.source = source;
        }

        public @Nullable Path getDirectory() {
            return directory;
        }

        public void setDirectory(@Nullable Path directory) {
            this.directory = directory;
        }

        public @Nullable String getSecretName() {
            return secretName;
        }

        public void setSecretName(@Nullable String secretName) {
            this.secretName = secretName;
        }

        public boolean isInjectCaBundle() {
            return injectCaBundle;
        }

        public void setInjectCaBundle(boolean injectCaBundle) {
            this.injectCaBundle = injectCaBundle;
        }
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public int getPort() {
        return port;
    }

    public void setPort(int port) {
        this.port = port;
    }

    public @Nullable URI getUrl() {
        return url;
    }

    public void setUrl(@Nullable URI url) {
        this.url = url;
    }

    public @Nullable Path getClientCaFile() {
        return clientCaFile;
    }

    public void setClientCaFile(@Nullable Path clientCaFile) {
        this.clientCaFile = clientCaFile;
    }

    public Set<String> getClientNames() {
        return clientNames;
    }

    public void setClientNames(Set<String> clientNames) {
        this.clientNames = clientNames;
    }

    public Certificate getCertificate() {
        return certificate;
    }
}

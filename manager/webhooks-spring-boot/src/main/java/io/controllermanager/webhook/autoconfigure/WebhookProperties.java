package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.webhook.internal.registration.WebhookNames;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties {@code controller-manager.webhooks.*}.
 *
 * @param enabled Whether webhooks are served, and what is stored in an old version is migrated.
 * @param name Name of the Secret with certificates, of the Service and of both webhook configurations.
 * @param port Port that webhooks are served on.
 * @param url Where the API server reaches this process, such as https://host:9443, if no Service leads there.
 * @param clientCaFile File with the certificate authorities in PEM that must have signed the certificate of whoever asks;
 *     none to let everybody ask.
 * @param clientNames Common names of the certificates that may ask, where one is asked for; empty for all.
 * @param certificate Where certificates come from. Unless one of these is set, the process makes them and keeps them in its
 *     Secret.
 */
@ConfigurationProperties("controller-manager.webhooks")
public record WebhookProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue(WebhookNames.DEFAULT_NAME) String name,
        @DefaultValue("" + WebhookNames.PORT) int port,
        @Nullable URI url,
        @Nullable Path clientCaFile,
        @DefaultValue Set<String> clientNames,
        @DefaultValue Certificate certificate) {

    /**
     * Properties {@code controller-manager.webhooks.certificate.*}.
     *
     * @param directory Directory with tls.crt, tls.key and ca.crt.
     * @param secretName Name of a Secret with tls.crt, tls.key and ca.crt that somebody else looks after, such as cert-manager.
     * @param injectCaBundle Whether the process writes caBundle; false where another does, such as cert-manager's injector.
     */
    public record Certificate(
            @Nullable Path directory,
            @Nullable String secretName,
            @DefaultValue("true") boolean injectCaBundle) {}
}

package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.webhook.internal.registration.WebhookNames;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties {@code controller-manager.webhooks.*}. */
@ConfigurationProperties("controller-manager.webhooks")
public final class WebhookProperties {

    /** Whether webhooks are served. */
    private boolean enabled = true;

    /** Name of the Secret with certificates, of the Service and of both webhook configurations. */
    private String name = WebhookNames.DEFAULT_NAME;

    /** Port that webhooks are served on. */
    private int port = WebhookNames.PORT;

    /** Where the API server reaches this process, such as https://host:9443, if no Service leads there. */
    private @Nullable URI url;

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
}

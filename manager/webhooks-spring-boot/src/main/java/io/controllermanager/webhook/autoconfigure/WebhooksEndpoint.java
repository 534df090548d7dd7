package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.webhook.internal.migration.Migration;
import io.controllermanager.webhook.internal.migration.StorageMigration;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** What is served, whether it can be, and how far the migration of each type is that is converted. */
@Endpoint(id = "webhooks", defaultAccess = Access.READ_ONLY)
public class WebhooksEndpoint {

    private final WebhookBeans webhooks;
    private final WebhookLifecycle serving;
    private final InformerFactory informers;

    WebhooksEndpoint(WebhookBeans webhooks, WebhookLifecycle serving, InformerFactory informers) {
        this.webhooks = webhooks;
        this.serving = serving;
        this.informers = informers;
    }

    /**
     * What the endpoint returns.
     *
     * @param paths what is served
     * @param faults why it is not; empty if it is
     * @param types those that are converted
     */
    public record WebhooksDescriptor(Set<String> paths, List<String> faults, List<ConvertedType> types) {}

    /**
     * A type that is converted.
     *
     * @param name its CRD's
     * @param storedVersions the versions that objects may be stored in, as far as this process has seen the CRD
     * @param migration how far they are stored anew; null if that is not going on
     */
    public record ConvertedType(
            String name,
            List<String> storedVersions,
            @Nullable Migration migration) {}

    /** All webhooks, and all types that are converted. */
    @ReadOperation
    public WebhooksDescriptor webhooks() {
        return new WebhooksDescriptor(
                new TreeSet<>(webhooks.reviews().paths()),
                serving.faults(),
                webhooks.webhooks().convertedTypes().stream().map(this::type).toList());
    }

    private ConvertedType type(String name) {
        HostInformer<V1CustomResourceDefinition> informer = informers.informer(StorageMigration.selection(name));
        try {
            V1CustomResourceDefinition crd = informer.lister().get(name);
            return crd == null
                    ? new ConvertedType(name, List.of(), null)
                    : new ConvertedType(name, Migration.storedVersions(crd), Migration.of(crd));
        } finally {
            informers.release(informer);
        }
    }
}

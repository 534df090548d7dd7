package com.example.website;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.EventPredicates;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Describes the controller to its host. */
@Configuration(proxyBeanMethods = false)
class WebsiteController {

    /** Caches hold what the operator has made, not all that the cluster has. */
    private static final LabelSelector MADE_HERE =
            LabelSelector.and(EqualityMatcher.equal(Children.MANAGED_BY, Children.OPERATOR));

    static final Selection<V1ConfigMap> CONFIG_MAPS =
            Selection.of(ResourceTypes.CONFIG_MAP).labelled(MADE_HERE);
    static final Selection<V1Deployment> DEPLOYMENTS =
            Selection.of(ResourceTypes.DEPLOYMENT).labelled(MADE_HERE);
    static final Selection<V1Service> SERVICES =
            Selection.of(ResourceTypes.SERVICE).labelled(MADE_HERE);

    /** The API server sends nothing else of Secrets. */
    static final Selection<PartialObjectMetadata> SECRETS = Selection.metadataOf(ResourceTypes.SECRET);

    @Bean
    ControllerDescriptor website(DnsRecords dns) {
        Websites websites = new Websites();
        return ControllerDescriptor.named("website")
                .forType(Website.TYPE, EventPredicates.generationChanged())
                .owns(CONFIG_MAPS, EventPredicates.resourceVersionChanged())
                .owns(DEPLOYMENTS, EventPredicates.resourceVersionChanged())
                .owns(SERVICES, EventPredicates.resourceVersionChanged())
                .watches(Website.TYPE, websites::rivalsOf)
                .watches(SECRETS, websites::usersOf, EventPredicates.resourceVersionChanged())
                .options(ControllerOptions.DEFAULTS.withWorkers(4))
                .reconcilerFactory(context -> new WebsiteReconciler(context, websites, dns))
                .build();
    }
}

package io.controllermanager.docs;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventPredicates;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.models.V1Deployment;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

@SuppressWarnings("UnusedVariable") // the comment stands for what would use it
@AutoConfiguration
public class ReplicaCapAutoConfiguration {

    @Bean
    ControllerDescriptor replicaCapController() {
        return ControllerDescriptor.named("replica-cap")
                .forType(ResourceTypes.DEPLOYMENT, EventPredicates.generationChanged())
                .reconcilerFactory(context -> {
                    Lister<V1Deployment> deployments =
                            context.informer(ResourceTypes.DEPLOYMENT).lister();
                    return request -> {
                        V1Deployment deployment =
                                deployments.namespace(request.getNamespace()).get(request.getName());
                        // Compare desired with actual state and write the difference.
                        return new Result(false);
                    };
                })
                .build();
    }
}

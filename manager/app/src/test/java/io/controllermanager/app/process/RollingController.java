package io.controllermanager.app.process;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.informer.Shards;
import io.controllermanager.network.Network;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.Index;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.Map;
import java.util.Objects;
import org.springframework.context.annotation.Bean;

/**
 * Brings the child of each Network to the version that the ConfigMap {@link #CLASS} says, a few at a time. The child is ready
 * once its label {@link #RUNS} says so too.
 */
class RollingController {

    static final String NAME = "rolling";
    static final String CLASS = "class";
    static final String VERSION = "version";
    static final String RUNS = "runs";
    static final int MOST = 5;
    static final Shards SHARDS = new Shards(6, Shards.By.NAME);

    private static final Index<Network> ALL = Index.of(CLASS, network -> "all");

    @Bean
    ControllerDescriptor rolling() {
        return TypedController.descriptor(NAME, Network.TYPE, new Rolling());
    }

    private static final class Rolling implements ObjectReconciler<Network> {

        @Override
        public void describe(ControllerDescription<Network> d) {
            d.owns(ResourceTypes.SECRET)
                    .references(ResourceTypes.CONFIG_MAP, network -> CLASS)
                    .budget(ALL, MOST)
                    .options(ControllerOptions.DEFAULTS.withWorkers(4).withShards(SHARDS));
        }

        @Override
        public Outcome reconcile(Network network, Reconciliation<Network> r) throws ApiException {
            V1ConfigMap wanted = Objects.requireNonNull(r.find(ResourceTypes.CONFIG_MAP, CLASS));
            String version = wanted.getData().get(VERSION);
            V1Secret child = r.apply(new V1Secret()
                    .metadata(new V1ObjectMeta().labels(Map.of(VERSION, version)))
                    .type("Opaque"));
            return version.equals(child.getMetadata().getLabels().get(RUNS))
                    ? Outcome.ready("Runs", "it runs")
                    : Outcome.progressing("Starts", "it starts");
        }
    }
}

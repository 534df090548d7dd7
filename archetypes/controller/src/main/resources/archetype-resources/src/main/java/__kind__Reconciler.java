package ${package};

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Keeps a ConfigMap for each ${kind}. */
@Component
@Reconciles(${kind}.class)
class ${kind}Reconciler implements ObjectReconciler<${kind}> {

    /** The labels have the cache hold what is made here, and nothing else. */
    @Override
    public void describe(ControllerDescription<${kind}> d) {
        d.owns(ResourceTypes.CONFIG_MAP)
                .labels(Map.of("app.kubernetes.io/managed-by", "${artifactId}"))
                .force();
    }

    @Override
    public Outcome reconcile(${kind} object, Reconciliation<${kind}> r) throws ApiException {
        r.apply(new V1ConfigMap().data(Map.of("message", object.spec().message())));
        return Outcome.ready("Applied", "the ConfigMap has the message");
    }
}

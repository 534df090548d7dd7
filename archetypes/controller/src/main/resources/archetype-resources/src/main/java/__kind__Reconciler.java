package ${package};

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Description;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Keeps a ConfigMap for each ${kind}. */
@Component
@Reconciles(${kind}.class)
class ${kind}Reconciler implements ObjectReconciler<${kind}> {

    private static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    private static final String OPERATOR = "${artifactId}";

    /** Those that are made here; the cache holds no others. */
    private static final Selection<V1ConfigMap> CONFIG_MAPS = Selection.of(ResourceTypes.CONFIG_MAP)
            .labelled(LabelSelector.and(EqualityMatcher.equal(MANAGED_BY, OPERATOR)));

    @Override
    public void describe(Description<${kind}> description) {
        description.owns(CONFIG_MAPS).force();
    }

    @Override
    public Outcome reconcile(${kind} object, Reconciliation<${kind}> reconciliation) throws ApiException {
        reconciliation.apply(new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(object.name()).labels(Map.of(MANAGED_BY, OPERATOR)))
                .data(Map.of("message", object.spec().message())));
        reconciliation.condition("Ready", true, "Applied", "the ConfigMap has the message");
        return Outcome.done();
    }
}

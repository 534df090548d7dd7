package com.example.plain;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

/** Runs a Job for each ConfigMap. */
@Reconciles(V1ConfigMap.class)
final class ImportReconciler implements ObjectReconciler<V1ConfigMap> {

    @Override
    public void describe(ControllerDescription<V1ConfigMap> d) {
        d.owns(ResourceTypes.JOB);
    }

    @Override
    public Outcome reconcile(V1ConfigMap configMap, Reconciliation<V1ConfigMap> r) throws ApiException {
        V1PodSpec pod = new V1PodSpec()
                .restartPolicy("Never")
                .addContainersItem(new V1Container().name("import").image("importer:1"));
        r.apply(new V1Job().spec(new V1JobSpec().template(new V1PodTemplateSpec().spec(pod))));
        return Outcome.done();
    }
}

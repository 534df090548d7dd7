package com.example.app;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimVolumeSource;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeResourceRequirements;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Keeps a claim, a Job that fills it, and then a StatefulSet for each Database. */
@Component
@Reconciles(Database.class)
class DatabaseReconciler implements ObjectReconciler<Database> {

    @Override
    public void describe(ControllerDescription<Database> d) {
        d.owns(ResourceTypes.PERSISTENT_VOLUME_CLAIM)
                .owns(ResourceTypes.JOB)
                .owns(ResourceTypes.STATEFUL_SET)
                .labels(Map.of("app.kubernetes.io/managed-by", "database-operator"))
                .force();
    }

    @Override
    public Outcome reconcile(Database database, Reconciliation<Database> r) throws ApiException {
        V1PersistentVolumeClaim claim = r.apply(new V1PersistentVolumeClaim().spec(room(database)));
        if (claim.getStatus() == null || !"Bound".equals(claim.getStatus().getPhase())) {
            return Outcome.progressing("Binding", "the claim for the backup is not bound");
        }
        V1Job restore = r.apply(restore(database));
        if (restore.getStatus() == null || restore.getStatus().getCompletionTime() == null) {
            return Outcome.progressing("Restoring", "the backup is not restored");
        }
        V1StatefulSet set = r.apply(pods(database));
        int ready = set.getStatus() == null || set.getStatus().getReadyReplicas() == null
                ? 0
                : set.getStatus().getReadyReplicas();
        return ready == database.spec().replicas()
                ? Outcome.ready("Serving", "all Pods are ready")
                : Outcome.progressing("Starting", ready + " of " + database.spec().replicas() + " Pods are ready");
    }

    private static V1PersistentVolumeClaimSpec room(Database database) {
        return new V1PersistentVolumeClaimSpec()
                .addAccessModesItem("ReadWriteOnce")
                .resources(new V1VolumeResourceRequirements()
                        .putRequestsItem("storage", database.spec().storage()));
    }

    private static V1Job restore(Database database) {
        V1PodSpec pod = new V1PodSpec()
                .restartPolicy("Never")
                .addContainersItem(new V1Container().name("restore").image("restore:1"))
                .addVolumesItem(new V1Volume()
                        .name("backup")
                        .persistentVolumeClaim(new V1PersistentVolumeClaimVolumeSource().claimName(database.name())));
        return new V1Job().spec(new V1JobSpec().template(new V1PodTemplateSpec().spec(pod)));
    }

    private static V1StatefulSet pods(Database database) {
        Map<String, String> labels = Map.of("database", database.name());
        V1PodSpec pod = new V1PodSpec()
                .addContainersItem(new V1Container().name("database").image("database:1"));
        return new V1StatefulSet()
                .spec(new V1StatefulSetSpec()
                        .replicas(database.spec().replicas())
                        .serviceName(database.name())
                        .selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(labels))
                                .spec(pod))
                        .addVolumeClaimTemplatesItem(new V1PersistentVolumeClaim()
                                .metadata(new V1ObjectMeta().name("data"))
                                .spec(room(database))));
    }
}

package com.example.labels;

import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;
import java.time.Duration;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Gives each ConfigMap a label. Nothing here is of Controller Manager. */
@Component
@KubernetesReconciler(
        value = "labels",
        watches = @KubernetesReconcilerWatches(@KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)))
public class LabelsReconciler implements Reconciler {

    private final Lister<V1ConfigMap> lister;
    private final CoreV1Api api;

    public LabelsReconciler(SharedIndexInformer<V1ConfigMap> informer, ApiClient client) {
        this.lister = new Lister<>(informer.getIndexer());
        this.api = new CoreV1Api(client);
    }

    @Override
    public Result reconcile(Request request) {
        V1ConfigMap configMap = lister.namespace(request.getNamespace()).get(request.getName());
        if (configMap == null) {
            return new Result(false);
        }
        Map<String, String> labels = configMap.getMetadata().getLabels();
        if (labels != null && labels.containsKey("seen")) {
            return new Result(false);
        }
        try {
            configMap.getMetadata().putLabelsItem("seen", "true");
            api.replaceNamespacedConfigMap(request.getName(), request.getNamespace(), configMap)
                    .execute();
            return new Result(false);
        } catch (ApiException e) {
            return new Result(true, Duration.ofSeconds(1));
        }
    }
}

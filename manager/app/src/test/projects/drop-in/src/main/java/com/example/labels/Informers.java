package com.example.labels;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import org.springframework.stereotype.Component;

@Component
@KubernetesInformers(
        @KubernetesInformer(
                apiTypeClass = V1ConfigMap.class,
                apiListTypeClass = V1ConfigMapList.class,
                groupVersionResource = @GroupVersionResource(resourcePlural = "configmaps")))
public class Informers {}

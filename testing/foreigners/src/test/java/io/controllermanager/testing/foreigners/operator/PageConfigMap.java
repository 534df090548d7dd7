package io.controllermanager.testing.foreigners.operator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** What the page says. */
@KubernetesDependent
public class PageConfigMap extends CRUDKubernetesDependentResource<ConfigMap, Page> {

    @Override
    protected ConfigMap desired(Page page, Context<Page> context) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(page.getMetadata().getName())
                .withNamespace(page.getMetadata().getNamespace())
                .endMetadata()
                .addToData("index.html", page.getSpec().text)
                .build();
    }
}

package io.controllermanager.testing.foreigners.operator;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import java.util.Map;

/** What serves the page. */
@KubernetesDependent
public class PageDeployment extends CRUDKubernetesDependentResource<Deployment, Page> {

    @Override
    protected Deployment desired(Page page, Context<Page> context) {
        String name = page.getMetadata().getName();
        Map<String, String> labels = Map.of("page", name);
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(page.getMetadata().getNamespace())
                .endMetadata()
                .withNewSpec()
                .withReplicas(page.getSpec().replicas)
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("web")
                .withImage("example.com/web:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}

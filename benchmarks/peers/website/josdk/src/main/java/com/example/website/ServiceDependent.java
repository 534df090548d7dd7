package com.example.website;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.ServiceSpecBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** Where the page is found in the cluster. */
@KubernetesDependent(informer = @Informer(labelSelector = Labels.MADE_HERE))
public class ServiceDependent extends CRUDKubernetesDependentResource<Service, Website> {

    @Override
    protected Service desired(Website website, Context<Website> context) {
        var spec = new ServiceSpecBuilder().withSelector(Labels.ofPods(website)).withPorts(port("http", 80));
        if (website.getSpec().tlsSecretName != null) {
            spec.addToPorts(port("https", 443));
        }
        return new ServiceBuilder()
                .withMetadata(Labels.metadata(website))
                .withSpec(spec.build())
                .build();
    }

    private static ServicePort port(String name, int number) {
        return new ServicePortBuilder()
                .withName(name)
                .withPort(number)
                .withTargetPort(new IntOrString(name))
                .build();
    }
}

package com.example.website;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** The pods that serve the page. */
@KubernetesDependent(informer = @Informer(labelSelector = Labels.MADE_HERE))
public class DeploymentDependent extends CRUDKubernetesDependentResource<Deployment, Website> {

    /** A change of it makes new pods: nginx reads its files when it starts. */
    static final String CONTENT = "example.com/content";

    private static final String IMAGE = "nginxinc/nginx-unprivileged:1.29";

    @Override
    protected Deployment desired(Website website, Context<Website> context) {
        var nginx = new ContainerBuilder()
                .withName("nginx")
                .withImage(IMAGE)
                .addNewPort()
                .withName("http")
                .withContainerPort(8080)
                .endPort()
                .addToVolumeMounts(mount("html", "/usr/share/nginx/html"), mount("conf", "/etc/nginx/conf.d"));
        var pod = new PodSpecBuilder()
                .addToVolumes(volume("html", website, "index.html"), volume("conf", website, "site.conf"));
        String secretName = website.getSpec().tlsSecretName;
        if (secretName != null) {
            nginx.addNewPort()
                    .withName("https")
                    .withContainerPort(8443)
                    .endPort()
                    .addToVolumeMounts(mount("tls", "/etc/nginx/tls"));
            pod.addNewVolume()
                    .withName("tls")
                    .withNewSecret()
                    .withSecretName(secretName)
                    .endSecret()
                    .endVolume();
        }
        String tlsVersion = context.getSecondaryResource(Secret.class)
                .map(secret -> secret.getMetadata().getResourceVersion())
                .orElse(""); // Changes with the certificate.
        String data =
                Integer.toHexString(ConfigMapDependent.data(website.getSpec()).hashCode());
        return new DeploymentBuilder()
                .withMetadata(Labels.metadata(website))
                .withNewSpec()
                .withReplicas(website.getSpec().replicas)
                .withNewSelector()
                .withMatchLabels(Labels.ofPods(website))
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(Labels.ofPods(website))
                .addToAnnotations(CONTENT, data + "-" + tlsVersion)
                .endMetadata()
                .withSpec(pod.withContainers(nginx.build()).build())
                .endTemplate()
                .endSpec()
                .build();
    }

    private static Volume volume(String name, Website website, String file) {
        return new VolumeBuilder()
                .withName(name)
                .withNewConfigMap()
                .withName(website.getMetadata().getName())
                .addNewItem(file, null, file)
                .endConfigMap()
                .build();
    }

    private static VolumeMount mount(String volume, String path) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withReadOnly(true)
                .build();
    }
}

package io.controllermanager.testing.foreigners.webpage.sdk;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.IngressBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import java.util.Map;

/** What a page becomes. */
final class Children {

    private Children() {}

    /** The page itself. */
    public static class Html extends CRUDKubernetesDependentResource<ConfigMap, WebPage> {
        @Override
        protected ConfigMap desired(WebPage page, Context<WebPage> context) {
            return new ConfigMapBuilder()
                    .withMetadata(metadata(page))
                    .addToData("index.html", page.getSpec().html)
                    .build();
        }
    }

    /** What serves it. */
    public static class Server extends CRUDKubernetesDependentResource<Deployment, WebPage> {
        @Override
        protected Deployment desired(WebPage page, Context<WebPage> context) {
            return new DeploymentBuilder()
                    .withMetadata(metadata(page))
                    .withNewSpec()
                    .withReplicas(1)
                    .withNewSelector()
                    .withMatchLabels(labels(page))
                    .endSelector()
                    .withNewTemplate()
                    .withNewMetadata()
                    .withLabels(labels(page))
                    .endMetadata()
                    .withNewSpec()
                    .addNewContainer()
                    .withName("nginx")
                    .withImage("nginx:1.29")
                    .addNewVolumeMount()
                    .withName("html")
                    .withMountPath("/usr/share/nginx/html")
                    .endVolumeMount()
                    .endContainer()
                    .addNewVolume()
                    .withName("html")
                    .withNewConfigMap()
                    .withName(page.getMetadata().getName())
                    .endConfigMap()
                    .endVolume()
                    .endSpec()
                    .endTemplate()
                    .endSpec()
                    .build();
        }
    }

    /** Where it is served. */
    public static class Address extends CRUDKubernetesDependentResource<Service, WebPage> {
        @Override
        protected Service desired(WebPage page, Context<WebPage> context) {
            return new ServiceBuilder()
                    .withMetadata(metadata(page))
                    .withNewSpec()
                    .withSelector(labels(page))
                    .addNewPort()
                    .withName("http")
                    .withPort(80)
                    .withTargetPort(new IntOrString(80))
                    .endPort()
                    .endSpec()
                    .build();
        }
    }

    /** The way to it from outside. */
    public static class Exposure extends CRUDKubernetesDependentResource<Ingress, WebPage> {
        @Override
        protected Ingress desired(WebPage page, Context<WebPage> context) {
            return new IngressBuilder()
                    .withMetadata(metadata(page))
                    .withNewSpec()
                    .withNewDefaultBackend()
                    .withNewService()
                    .withName(page.getMetadata().getName())
                    .withNewPort()
                    .withNumber(80)
                    .endPort()
                    .endService()
                    .endDefaultBackend()
                    .endSpec()
                    .build();
        }
    }

    /** Whether there is to be one. */
    public static class IsExposed implements Condition<Ingress, WebPage> {
        @Override
        public boolean isMet(DependentResource<Ingress, WebPage> dependent, WebPage page, Context<WebPage> context) {
            return page.getSpec().exposed;
        }
    }

    private static ObjectMeta metadata(WebPage page) {
        return new ObjectMetaBuilder()
                .withName(page.getMetadata().getName())
                .withNamespace(page.getMetadata().getNamespace())
                .build();
    }

    private static Map<String, String> labels(WebPage page) {
        return Map.of("page", page.getMetadata().getName());
    }
}

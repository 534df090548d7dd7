package io.controllermanager.testing.foreigners.webpage;

import static io.controllermanager.client.ResourceTypes.CONFIG_MAP;
import static io.controllermanager.client.ResourceTypes.DEPLOYMENT;
import static io.controllermanager.client.ResourceTypes.INGRESS;
import static io.controllermanager.client.ResourceTypes.SERVICE;

import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapVolumeSource;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1IngressBackend;
import io.kubernetes.client.openapi.models.V1IngressServiceBackend;
import io.kubernetes.client.openapi.models.V1IngressSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceBackendPort;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import java.util.Map;

/** Serves each page by an nginx. */
@Reconciles(WebPage.class)
final class WebPageReconciler implements ObjectReconciler<WebPage> {

    @Override
    public void describe(ControllerDescription<WebPage> d) {
        // The SDK's children name their owner, but not as their controller.
        d.owns(CONFIG_MAP)
                .adopts(child -> true)
                .owns(DEPLOYMENT)
                .adopts(child -> true)
                .owns(SERVICE)
                .adopts(child -> true)
                .owns(INGRESS)
                .adopts(child -> true)
                .prunes();
    }

    @Override
    public Outcome reconcile(WebPage page, Reconciliation<WebPage> r) throws ApiException {
        if (page.spec().html().contains("error")) {
            throw new IllegalArgumentException("the page has an error");
        }
        r.apply(html(page));
        r.apply(deployment(page));
        r.apply(service(page));
        if (page.spec().exposed()) {
            r.apply(ingress(page));
        }
        r.pruneOthers();
        r.status(new WebPage.Status(page.name(), null, null));
        return Outcome.ready("Served", "the page is served");
    }

    private static V1ConfigMap html(WebPage page) {
        return new V1ConfigMap().data(Map.of("index.html", page.spec().html()));
    }

    private static V1Deployment deployment(WebPage page) {
        V1Container nginx = new V1Container()
                .name("nginx")
                .image("nginx:1.29")
                .addVolumeMountsItem(new V1VolumeMount().name("html").mountPath("/usr/share/nginx/html"));
        V1PodSpec pod = new V1PodSpec()
                .addContainersItem(nginx)
                .addVolumesItem(new V1Volume().name("html").configMap(new V1ConfigMapVolumeSource().name(page.name())));
        return new V1Deployment()
                .spec(new V1DeploymentSpec()
                        .replicas(1)
                        .selector(new V1LabelSelector().matchLabels(Map.of("page", page.name())))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(Map.of("page", page.name())))
                                .spec(pod)));
    }

    private static V1Service service(WebPage page) {
        V1ServicePort http = new V1ServicePort().name("http").port(80).targetPort(new IntOrString(80));
        return new V1Service()
                .spec(new V1ServiceSpec().selector(Map.of("page", page.name())).addPortsItem(http));
    }

    private static V1Ingress ingress(WebPage page) {
        V1IngressServiceBackend service =
                new V1IngressServiceBackend().name(page.name()).port(new V1ServiceBackendPort().number(80));
        return new V1Ingress().spec(new V1IngressSpec().defaultBackend(new V1IngressBackend().service(service)));
    }
}

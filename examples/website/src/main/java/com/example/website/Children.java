package com.example.website;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapVolumeSource;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1KeyToPath;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1SecretVolumeSource;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import java.util.Map;

/** What a Website becomes: functions of its spec, all by its own name, with no field that is left to others. */
final class Children {

    /** A change of it makes new pods: nginx reads its files when it starts. */
    static final String CONTENT = "example.com/content";

    private static final String IMAGE = "nginxinc/nginx-unprivileged:1.29";

    private Children() {}

    static V1ConfigMap configMap(Website website) {
        return new V1ConfigMap()
                .data(Map.of("index.html", website.spec().html(), "site.conf", nginxConf(website.spec())));
    }

    private static String nginxConf(Website.Spec spec) {
        String tls = spec.tlsSecretName() == null ? "" : """
                  listen 8443 ssl;
                  ssl_certificate /etc/nginx/tls/tls.crt;
                  ssl_certificate_key /etc/nginx/tls/tls.key;
                """;
        return """
                server {
                  listen 8080;
                %s  server_name %s;
                  root /usr/share/nginx/html;
                }
                """.formatted(tls, spec.host());
    }

    /**
     * The Deployment.
     *
     * @param tlsVersion changes with the certificate, empty if there is none
     */
    static V1Deployment deployment(Website website, String tlsVersion) {
        V1Container nginx = new V1Container()
                .name("nginx")
                .image(IMAGE)
                .addPortsItem(new V1ContainerPort().name("http").containerPort(8080))
                .addVolumeMountsItem(mount("html", "/usr/share/nginx/html"))
                .addVolumeMountsItem(mount("conf", "/etc/nginx/conf.d"));
        V1PodSpec pod = new V1PodSpec()
                .addContainersItem(nginx)
                .addVolumesItem(volume("html", website, "index.html"))
                .addVolumesItem(volume("conf", website, "site.conf"));
        String secretName = website.spec().tlsSecretName();
        if (secretName != null) {
            nginx.addPortsItem(new V1ContainerPort().name("https").containerPort(8443))
                    .addVolumeMountsItem(mount("tls", "/etc/nginx/tls"));
            pod.addVolumesItem(new V1Volume().name("tls").secret(new V1SecretVolumeSource().secretName(secretName)));
        }
        String content = Integer.toHexString(configMap(website).getData().hashCode()) + "-" + tlsVersion;
        V1ObjectMeta podMetadata = new V1ObjectMeta().labels(podLabels(website)).annotations(Map.of(CONTENT, content));
        return new V1Deployment()
                .spec(new V1DeploymentSpec()
                        .replicas(website.spec().replicas())
                        .selector(new V1LabelSelector().matchLabels(podLabels(website)))
                        .template(new V1PodTemplateSpec().metadata(podMetadata).spec(pod)));
    }

    static V1Service service(Website website) {
        V1ServiceSpec spec = new V1ServiceSpec().selector(podLabels(website)).addPortsItem(port("http", 80));
        if (website.spec().tlsSecretName() != null) {
            spec.addPortsItem(port("https", 443));
        }
        return new V1Service().spec(spec);
    }

    private static Map<String, String> podLabels(Website website) {
        return Map.of("app.kubernetes.io/name", "website", "app.kubernetes.io/instance", website.name());
    }

    private static V1Volume volume(String name, Website website, String file) {
        V1KeyToPath item = new V1KeyToPath().key(file).path(file);
        return new V1Volume()
                .name(name)
                .configMap(new V1ConfigMapVolumeSource().name(website.name()).addItemsItem(item));
    }

    private static V1VolumeMount mount(String volume, String path) {
        return new V1VolumeMount().name(volume).mountPath(path).readOnly(true);
    }

    private static V1ServicePort port(String name, int number) {
        return new V1ServicePort().name(name).port(number).targetPort(new IntOrString(name));
    }
}

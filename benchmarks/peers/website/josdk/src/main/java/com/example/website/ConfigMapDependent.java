package com.example.website;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import java.util.Map;

/** The page, and how nginx serves it. */
@KubernetesDependent(informer = @Informer(labelSelector = Labels.MADE_HERE))
public class ConfigMapDependent extends CRUDKubernetesDependentResource<ConfigMap, Website> {

    @Override
    protected ConfigMap desired(Website website, Context<Website> context) {
        return new ConfigMapBuilder()
                .withMetadata(Labels.metadata(website))
                .withData(data(website.getSpec()))
                .build();
    }

    static Map<String, String> data(Website.Spec spec) {
        String tls = spec.tlsSecretName == null ? "" : """
              listen 8443 ssl;
              ssl_certificate /etc/nginx/tls/tls.crt;
              ssl_certificate_key /etc/nginx/tls/tls.key;
            """;
        String conf = """
            server {
              listen 8080;
            %s  server_name %s;
              root /usr/share/nginx/html;
            }
            """.formatted(tls, spec.host);
        return Map.of("index.html", spec.html, "site.conf", conf);
    }
}

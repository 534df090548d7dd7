package io.controllermanager.testing.foreigners.webpage.sdk;

import io.controllermanager.apiserver.ApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.javaoperatorsdk.operator.Operator;

/** A process with the operator. */
public final class PageOperator implements AutoCloseable {

    private final KubernetesClient client;
    private final Operator operator;

    private PageOperator(KubernetesClient client, Operator operator) {
        this.client = client;
        this.operator = operator;
    }

    /** Runs it on the embedded API server. */
    public static PageOperator start(ApiServer server) {
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.kubeconfig()))
                .withHttpClientFactory(new JdkHttpClientFactory())
                .build();
        Operator operator = new Operator(configuration -> configuration.withKubernetesClient(client));
        operator.register(new WebPageReconciler());
        operator.start();
        return new PageOperator(client, operator);
    }

    @Override
    public void close() {
        operator.stop();
        client.close();
    }
}

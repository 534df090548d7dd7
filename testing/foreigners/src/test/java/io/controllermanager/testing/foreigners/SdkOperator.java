package io.controllermanager.testing.foreigners;

import io.controllermanager.apiserver.ApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import java.util.function.Consumer;

/** A process with an operator on the Java Operator SDK. */
public final class SdkOperator implements AutoCloseable {

    private final KubernetesClient client;
    private final Operator operator;

    private SdkOperator(KubernetesClient client, Operator operator) {
        this.client = client;
        this.operator = operator;
    }

    /** Runs it on the embedded API server. */
    public static SdkOperator start(ApiServer server, Reconciler<?> reconciler) {
        return start(server, reconciler, configuration -> {});
    }

    /** Runs it on the embedded API server, configured. */
    public static SdkOperator start(
            ApiServer server, Reconciler<?> reconciler, Consumer<ConfigurationServiceOverrider> configured) {
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.kubeconfig()))
                .withHttpClientFactory(new JdkHttpClientFactory())
                .build();
        Operator operator =
                new Operator(configuration -> configured.accept(configuration.withKubernetesClient(client)));
        operator.register(reconciler);
        operator.start();
        return new SdkOperator(client, operator);
    }

    @Override
    public void close() {
        operator.stop();
        client.close();
    }
}

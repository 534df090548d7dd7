package io.controllermanager.testing.bothservers;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;

record RealServer(ControlPlane plane) implements TestedServer {

    @Override
    public boolean isEmbedded() {
        return false;
    }

    @Override
    public ApiClient client() {
        return client(kubeconfig());
    }

    @Override
    public ApiClient clientFor(String user, String... groups) {
        return client(kubeconfigFor(user, groups));
    }

    private static ApiClient client(String kubeconfig) {
        try {
            ApiClient client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                    .build();
            return client.setHttpClient(client.getHttpClient()
                    .newBuilder()
                    .connectTimeout(Duration.ZERO)
                    .readTimeout(Duration.ZERO)
                    .writeTimeout(Duration.ZERO)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String kubeconfig() {
        return plane.kubeconfig();
    }

    @Override
    public String kubeconfigFor(String user, String... groups) {
        return plane.kubeconfigFor(user, groups);
    }

    @Override
    public String createNamespace() {
        return plane.createNamespace("test");
    }

    @Override
    public void compact() {
        plane.compactEtcd();
    }

    @Override
    public void close() {
        plane.close();
    }

    @Override
    public String toString() {
        return "real";
    }
}

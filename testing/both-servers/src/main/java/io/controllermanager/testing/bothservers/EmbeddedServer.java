package io.controllermanager.testing.bothservers;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import org.jspecify.annotations.Nullable;

record EmbeddedServer(ApiServer server) implements TestedServer {

    @Override
    public boolean isEmbedded() {
        return true;
    }

    @Override
    public @Nullable ControlPlane plane() {
        return null;
    }

    @Override
    public ApiClient client() {
        return server.client();
    }

    @Override
    public String kubeconfig() {
        return server.kubeconfig();
    }

    @Override
    public ApiClient clientFor(String user, String... groups) {
        return server.clientFor(user, groups);
    }

    @Override
    public String kubeconfigFor(String user, String... groups) {
        return server.kubeconfigFor(user, groups);
    }

    @Override
    public String createNamespace() {
        return server.createNamespace("test");
    }

    @Override
    public void compact() {
        server.compact();
    }

    @Override
    public void close() {
        server.close();
    }

    @Override
    public String toString() {
        return "embedded";
    }
}

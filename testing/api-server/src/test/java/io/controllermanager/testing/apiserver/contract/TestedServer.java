package io.controllermanager.testing.apiserver.contract;

import io.controllermanager.testing.apiserver.ApiServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** A server under test. */
interface TestedServer extends AutoCloseable {

    boolean isEmbedded();

    ApiClient client();

    String kubeconfig();

    /** A namespace that no one else uses. */
    String createNamespace();

    void compact();

    @Override
    void close();

    static TestedServer embedded(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(TestedServer.class))
                .computeIfAbsent(
                        "embedded",
                        key -> new Embedded(ApiServer.builder()
                                .bookmarkInterval(Duration.ofMillis(200))
                                .start()),
                        Embedded.class);
    }

    static TestedServer real(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(TestedServer.class))
                .computeIfAbsent(
                        "real",
                        // The controllers that collect garbage and empty namespaces, and none that would interfere.
                        key -> new Real(ControlPlane.builder()
                                // No cache before these, so that etcd's compaction shows.
                                .apiServerFlag("watch-cache-sizes", "secrets#0")
                                .controllerManager(true)
                                .controllerManagerFlag(
                                        "controllers",
                                        "garbage-collector-controller,namespace-controller,serviceaccount-controller")
                                .start()),
                        Real.class);
    }

    record Embedded(ApiServer server) implements TestedServer {

        @Override
        public boolean isEmbedded() {
            return true;
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

    record Real(ControlPlane plane) implements TestedServer {

        @Override
        public boolean isEmbedded() {
            return false;
        }

        @Override
        public ApiClient client() {
            try {
                ApiClient client = ClientBuilder.kubeconfig(
                                KubeConfig.loadKubeConfig(new StringReader(plane.kubeconfig())))
                        .build();
                return client.setHttpClient(client.getHttpClient()
                        .newBuilder()
                        .readTimeout(Duration.ZERO)
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
}

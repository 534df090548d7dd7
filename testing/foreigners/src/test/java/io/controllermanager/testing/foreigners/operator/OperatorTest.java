package io.controllermanager.testing.foreigners.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.foreigners.TwoServers;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The operator on both servers, by the HTTP client that fabric8 brings and by the SDK's own choice. */
@Tag("deep")
class OperatorTest {

    private static final String NAMESPACE = "default";

    static Stream<HttpClient.Factory> clients() {
        return Stream.of(new VertxHttpClientFactory(), new JdkHttpClientFactory());
    }

    @ParameterizedTest
    @MethodSource("clients")
    void worksOnBothServers(HttpClient.Factory factory) throws Exception {
        try (TwoServers servers = TwoServers.start()) {
            servers.each(server -> {
                work(server, factory);
                return server;
            });
        }
    }

    private static void work(TestedServer server, HttpClient.Factory factory) throws IOException {
        Config config = Config.fromKubeconfig(server.kubeconfig());
        // Of the real server's key, whose file does not say so.
        config.setClientKeyAlgo("EC");
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(factory)
                .build()) {
            define(client);
            PageReconciler reconciler = new PageReconciler();
            Operator operator = new Operator(configuration -> configuration
                    .withKubernetesClient(client)
                    .withCloseClientOnStop(false)
                    .withLeaderElectionConfiguration(
                            LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration("page-operator")
                                    .withLeaseNamespace(NAMESPACE)
                                    .withIdentity("me")
                                    .withExitOnStopLeading(false)
                                    .build()));
            operator.register(reconciler);
            operator.start();
            try {
                serves(client);
                keepsWhatItServes(client);
                waitsForASecret(client);
                cleansUp(client, reconciler);
            } finally {
                operator.stop();
            }
        }
    }

    private static void define(KubernetesClient client) throws IOException {
        try (InputStream crd = Files.newInputStream(Path.of("src/test/scripts/operator/crd.yaml"))) {
            client.load(crd).serverSideApply();
        }
        await().untilAsserted(() -> assertThat(client.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName("pages.example.com")
                        .get()
                        .getStatus()
                        .getConditions())
                .anyMatch(condition -> condition.getType().equals("Established")
                        && condition.getStatus().equals("True")));
    }

    private static void serves(KubernetesClient client) {
        create(client, "home", "hello", null);
        awaitPhase(client, "home", "Served", 1);
        ConfigMap text = text(client, "home").get();
        assertThat(text.getData()).containsEntry("index.html", "hello");
        assertThat(text.getMetadata().getOwnerReferences())
                .singleElement()
                .satisfies(owner -> assertThat(owner.getKind()).isEqualTo("Page"));
        assertThat(deployment(client, "home").get().getSpec().getReplicas()).isEqualTo(2);
        assertThat(page(client, "home").get().getFinalizers()).containsExactly("example.com/page");
        Lease lease =
                client.leases().inNamespace(NAMESPACE).withName("page-operator").get();
        assertThat(lease.getSpec().getHolderIdentity()).isEqualTo("me");
    }

    private static void keepsWhatItServes(KubernetesClient client) {
        page(client, "home").edit(page -> {
            page.getSpec().text = "bye";
            page.getSpec().replicas = 3;
            return page;
        });
        awaitPhase(client, "home", "Served", 2);
        assertThat(text(client, "home").get().getData()).containsEntry("index.html", "bye");
        assertThat(deployment(client, "home").get().getSpec().getReplicas()).isEqualTo(3);

        text(client, "home").delete();
        await().until(() -> text(client, "home").get() != null);
        deployment(client, "home").scale(7);
        await().until(() -> deployment(client, "home").get().getSpec().getReplicas() == 3);
    }

    private static void waitsForASecret(KubernetesClient client) {
        create(client, "locked", "hello", "key");
        awaitPhase(client, "locked", "Waiting", 1);
        assertThat(text(client, "locked").get()).isNull();
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("key")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .addToStringData("key", "value")
                        .build())
                .create();
        awaitPhase(client, "locked", "Served", 1);
        assertThat(text(client, "locked").get().getData()).containsEntry("index.html", "hello");
    }

    private static void cleansUp(KubernetesClient client, PageReconciler reconciler) {
        page(client, "home").delete();
        await().until(() -> page(client, "home").get() == null);
        assertThat(reconciler.cleaned).containsExactly("home");
        await().until(() ->
                text(client, "home").get() == null && deployment(client, "home").get() == null);
        assertThat(text(client, "locked").get()).isNotNull();
    }

    private static void create(KubernetesClient client, String name, String text, String secret) {
        Page page = new Page();
        page.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace(NAMESPACE).build());
        page.setSpec(new Page.Spec());
        page.getSpec().text = text;
        page.getSpec().replicas = 2;
        page.getSpec().secret = secret;
        client.resource(page).create();
    }

    private static void awaitPhase(KubernetesClient client, String name, String phase, long generation) {
        await().untilAsserted(() -> {
            Page.Status status = page(client, name).get().getStatus();
            assertThat(status).isNotNull();
            assertThat(status.phase).isEqualTo(phase);
            assertThat(status.observedGeneration).isEqualTo(generation);
        });
    }

    private static Resource<Page> page(KubernetesClient client, String name) {
        return client.resources(Page.class).inNamespace(NAMESPACE).withName(name);
    }

    private static Resource<ConfigMap> text(KubernetesClient client, String name) {
        return client.configMaps().inNamespace(NAMESPACE).withName(name);
    }

    private static RollableScalableResource<Deployment> deployment(KubernetesClient client, String name) {
        return client.apps().deployments().inNamespace(NAMESPACE).withName(name);
    }
}

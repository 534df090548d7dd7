package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** fabric8's client as it comes, which watches over WebSockets. */
class Fabric8Test {

    private static ConfigMap configMap(String name, String value) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withData(Map.of("key", value))
                .build();
    }

    private static KubernetesClient client(ApiServer server) {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.kubeconfig()))
                .build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itsInformersSeeEverything(boolean tls) {
        try (ApiServer server = ApiServer.builder().tls(tls).authorization(tls).start();
                KubernetesClient client = client(server)) {
            client.resource(configMap("a", "1")).create();
            SharedIndexInformer<ConfigMap> informer =
                    client.configMaps().inNamespace("default").inform();
            assertThat(informer.hasSynced()).isTrue();
            assertThat(informer.getStore().getByKey("default/a").getData()).containsEntry("key", "1");

            client.resource(configMap("a", "2")).update();
            client.resource(configMap("b", "1")).create();
            await().until(() -> informer.getStore().getByKey("default/b") != null);
            assertThat(informer.getStore().getByKey("default/a").getData()).containsEntry("key", "2");

            server.restart();
            await().ignoreExceptions()
                    .until(() -> client.resource(configMap("b", "1")).delete().size() == 1);
            client.resource(configMap("c", "1")).create();
            await().untilAsserted(() ->
                    assertThat(informer.getStore().listKeys()).containsExactlyInAnyOrder("default/a", "default/c"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itsWatchesEndWithTheServersWord(boolean tls) {
        List<String> events = new CopyOnWriteArrayList<>();
        try (ApiServer server = ApiServer.builder().tls(tls).start();
                KubernetesClient client = client(server)) {
            client.resource(configMap("a", "1")).create();
            server.compact();
            Watcher<ConfigMap> watcher = new Watcher<>() {
                @Override
                public void eventReceived(Action action, ConfigMap object) {
                    events.add(action + " " + object.getMetadata().getName());
                }

                @Override
                public void onClose(WatcherException cause) {
                    events.add(cause.isHttpGone() ? "gone" : "closed");
                }
            };
            client.configMaps().inNamespace("default").withResourceVersion("1").watch(watcher);
            await().until(() -> events.equals(List.of("gone")));
        }
    }
}

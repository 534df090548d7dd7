package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.spring.extended.controller.annotation.AddWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.DeleteWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerReadyFunc;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;
import io.kubernetes.client.spring.extended.controller.annotation.UpdateWatchEventFilter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A reconciler of client-java's that is not public, as Spring components usually are, with methods that are not either. */
@SuppressWarnings("deprecation")
class AnnotatedControllerTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    EmbeddedApiServerAutoConfiguration.class, ControllerManagerAutoConfiguration.class))
            .withBean(ApiServer.class, ApiServer::start)
            .withPropertyValues("controller-manager.leader-election.enabled=false");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void filtersAndReadyMethodsNeedNotBePublic(boolean proxied) {
        Hidden hidden = new Hidden();
        runner.withBean("hidden", Reconciler.class, () -> proxied ? proxy(hidden) : hidden)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    ApiServer server = context.getBean(ApiServer.class);
                    String namespace = server.createNamespace("hidden");
                    ResourceClient<V1ConfigMap> configMaps =
                            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
                    for (String name : List.of("not-updated", "updated", "not-deleted", "deleted", "added")) {
                        configMaps.create(configMap(namespace, name));
                    }
                    await().until(hidden.asked::get);
                    assertThat(hidden.seen).isEmpty();
                    hidden.ready.set(true);
                    await().untilAsserted(() -> assertThat(hidden.seen).containsExactly("added"));

                    for (String name : List.of("not-updated", "updated")) {
                        configMaps.patch(namespace, name, new Patch.Merge("{\"data\":{\"edit\":\"" + name + "\"}}"));
                    }
                    await().untilAsserted(() -> assertThat(hidden.seen).containsExactlyInAnyOrder("added", "updated"));

                    for (String name : List.of("not-deleted", "deleted")) {
                        configMaps.delete(namespace, name);
                    }
                    await().untilAsserted(() ->
                            assertThat(hidden.seen).containsExactlyInAnyOrder("added", "updated", "deleted"));
                });
    }

    private static V1ConfigMap configMap(String namespace, String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name))
                .data(Map.of("edit", "no"));
    }

    private static Reconciler proxy(Reconciler reconciler) {
        ProxyFactory factory = new ProxyFactory(reconciler);
        factory.setProxyTargetClass(true);
        return (Reconciler) factory.getProxy();
    }

    @KubernetesReconciler(
            workerCount = 1,
            watches = @KubernetesReconcilerWatches(@KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)))
    static class Hidden implements Reconciler {

        private final Set<String> seen = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean ready = new AtomicBoolean();
        private final AtomicBoolean asked = new AtomicBoolean();

        @AddWatchEventFilter(apiTypeClass = V1ConfigMap.class)
        boolean onAdd(V1ConfigMap added) {
            return "added".equals(added.getMetadata().getName());
        }

        @UpdateWatchEventFilter(apiTypeClass = V1ConfigMap.class)
        private boolean onUpdate(V1ConfigMap before, V1ConfigMap after) {
            return "updated".equals(after.getData().get("edit"));
        }

        @DeleteWatchEventFilter(apiTypeClass = V1ConfigMap.class)
        protected boolean onDelete(V1ConfigMap deleted, boolean unknown) {
            return "deleted".equals(deleted.getMetadata().getName());
        }

        @KubernetesReconcilerReadyFunc
        boolean isReady() {
            asked.set(true);
            return ready.get();
        }

        @Override
        public Result reconcile(Request request) {
            seen.add(request.getName());
            return new Result(false);
        }
    }
}

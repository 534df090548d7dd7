package io.controllermanager.manager.internal;

import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.Informer;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.EventsV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.PatchUtils;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two controllers that want different things of one field, on an API server. */
class UndoneWritesApiTest {

    @Test
    void theOneThatNoticesPausesAndSaysWhoTheOtherIs() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        AtomicInteger calm = new AtomicInteger();
        try (ApiServer server = ApiServer.start();
                ApiReplica process = new ApiReplica("a", ApiReplica.client(server.kubeconfig()), "default")) {
            ApiClient admin = ApiReplica.client(server.kubeconfig());
            create(admin, "contested");
            create(admin, "calm");
            ControllerManager manager = process.hostThatObservesWrites()
                    .meterRegistry(registry)
                    .controllers(List.of(registration("ours", calm)))
                    .build();
            ControllerManager rival = process.host(Leadership.always(admin))
                    .controllers(List.of(registration("theirs", new AtomicInteger())))
                    .build();
            manager.start();
            rival.start();
            try {
                await().until(() -> registry.scrape()
                        .contains("controller_manager_undone_writes_total{controller=\"ours\",manager=\"theirs\"}"));
                await().until(() -> new EventsV1Api(admin)
                        .listNamespacedEvent("default").execute().getItems().stream()
                                .anyMatch(event -> "WritesUndone".equals(event.getReason())
                                        && String.valueOf(event.getNote())
                                                .startsWith("theirs changes back what ours writes")));
                await().until(() -> manager.queue("ours").delayed().containsKey(new Request("default", "contested")));

                int before = calm.get();
                manager.reconcileNow("ours", new Request("default", "calm"));
                await().until(() -> calm.get() > before);
            } finally {
                manager.stop();
                rival.stop();
            }
        }
    }

    /** Writes its name into the ConfigMap called contested, as often as it finds another there. */
    private static ControllerRegistration registration(String name, AtomicInteger calm) {
        return ControllerRegistration.of(ControllerDescriptor.named(name)
                .forType(ResourceTypes.CONFIG_MAP)
                .reconcilerFactory(context -> {
                    Informer<V1ConfigMap> maps = context.informer(ResourceTypes.CONFIG_MAP);
                    return request -> {
                        V1ConfigMap map = maps.lister().namespace("default").get(request.getName());
                        if (request.getName().equals("calm")) {
                            calm.incrementAndGet();
                        } else if (map != null
                                && map.getData() != null
                                && !name.equals(map.getData().get("owner"))) {
                            write(context.apiClient(), request.getName(), name);
                        }
                        return new Result(false);
                    };
                })
                .build());
    }

    private static void write(ApiClient client, String map, String owner) {
        try {
            PatchUtils.patch(
                    V1ConfigMap.class,
                    () -> new CoreV1Api(client)
                            .patchNamespacedConfigMap(
                                    map, "default", new V1Patch("{\"data\":{\"owner\":\"" + owner + "\"}}"))
                            .fieldManager(owner)
                            .buildCall(null),
                    V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                    client);
        } catch (ApiException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void create(ApiClient admin, String name) throws ApiException {
        new CoreV1Api(admin)
                .createNamespacedConfigMap(
                        "default",
                        new V1ConfigMap()
                                .metadata(new V1ObjectMeta().name(name))
                                .data(Map.of("owner", "nobody")))
                .execute();
    }
}

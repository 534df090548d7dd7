package io.controllermanager.testing.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many writers and watchers at once: every watcher sees every change once and in order, and ends with what is stored. */
class StressTest {

    private static final int WRITERS = 8;
    private static final int WATCHERS = 8;
    private static final int WRITES = 250;
    private static final int NAMES = 20;
    private static final String END = "end";

    @Test
    void everyWatcherSeesEveryChangeOnceAndInOrder() {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + WATCHERS);
        try (ApiServer server = ApiServer.start()) {
            String start = new CoreV1Api(server.client())
                    .listNamespacedConfigMap("default")
                    .execute()
                    .getMetadata()
                    .getResourceVersion();
            List<CompletableFuture<Map<String, String>>> watchers = IntStream.range(0, WATCHERS)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> watch(server.client(), start), threads))
                    .toList();
            List<CompletableFuture<Set<String>>> writers = IntStream.range(0, WRITERS)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> write(server.client(), i), threads))
                    .toList();
            Set<String> written = new HashSet<>();
            writers.forEach(writer -> written.addAll(writer.join()));
            CoreV1Api api = new CoreV1Api(server.client());
            api.createNamespacedConfigMap("default", configMap(END, 0)).execute();
            V1ConfigMapList stored = api.listNamespacedConfigMap("default").execute();
            Map<String, String> expected = stored.getItems().stream()
                    .collect(Collectors.toMap(
                            item -> item.getMetadata().getName(),
                            item -> item.getMetadata().getResourceVersion()));
            for (CompletableFuture<Map<String, String>> watcher : watchers) {
                Map<String, String> last = watcher.join();
                Set<String> versions =
                        Set.of(String.valueOf(last.remove("versions")).split(",", -1));
                assertThat(versions).containsAll(written);
                assertThat(last).isEqualTo(expected);
            }
        } catch (ApiException e) {
            throw new IllegalStateException(e.getResponseBody(), e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static V1ConfigMap configMap(String name, int value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).putDataItem("value", Integer.toString(value));
    }

    /** Creates, changes and deletes at random; gives the versions that creations and changes got. */
    private static Set<String> write(ApiClient client, int seed) {
        CoreV1Api api = new CoreV1Api(client);
        Random random = new Random(seed);
        Set<String> versions = new HashSet<>();
        for (int i = 0; i < WRITES; i++) {
            String name = "c" + random.nextInt(NAMES);
            try {
                switch (random.nextInt(4)) {
                    case 0 -> api.deleteNamespacedConfigMap(name, "default").execute();
                    case 1 ->
                        versions.add(version(api.createNamespacedConfigMap("default", configMap(name, i))
                                .execute()));
                    default ->
                        versions.add(version(
                                api.replaceNamespacedConfigMap(name, "default", configMap(name, seed * WRITES + i))
                                        .execute()));
                }
            } catch (ApiException e) {
                // Someone else was there before.
                assertThat(e.getCode()).isIn(404, 409);
            }
        }
        return versions;
    }

    private static String version(V1ConfigMap object) {
        return String.valueOf(object.getMetadata().getResourceVersion());
    }

    /** Follows a watch up to the last object; gives the versions it holds then, and all that it saw. */
    private static Map<String, String> watch(ApiClient client, String start) {
        Map<String, String> held = new HashMap<>();
        Set<String> versions = new HashSet<>();
        long last = Long.parseLong(start);
        try (Watch<V1ConfigMap> watch = Watch.createWatch(
                client,
                new CoreV1Api(client)
                        .listNamespacedConfigMap("default")
                        .watch(true)
                        .resourceVersion(start)
                        .buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
            for (Watch.Response<V1ConfigMap> event : watch) {
                String name = event.object.getMetadata().getName();
                String version = version(event.object);
                assertThat(Long.parseLong(version)).isGreaterThan(last);
                last = Long.parseLong(version);
                versions.add(version);
                switch (event.type) {
                    case "ADDED" -> assertThat(held.put(name, version)).isNull();
                    case "MODIFIED" -> assertThat(held.put(name, version)).isNotNull();
                    default -> assertThat(held.remove(name)).isNotNull();
                }
                if (END.equals(name)) {
                    break;
                }
            }
        } catch (ApiException | IOException e) {
            throw new IllegalStateException(e);
        }
        held.put("versions", String.join(",", versions));
        return held;
    }
}

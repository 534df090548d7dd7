package io.controllermanager.informer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.informer.Shards.By;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that filters by {@code shardSelector} puts an object into the same shard as {@link Shards} does. */
@OnBothServers(shardedListAndWatch = true)
class ShardsOnServerTest {

    private final TestedServer server;
    private final ApiClient client;

    ShardsOnServerTest(TestedServer server) {
        this.server = server;
        this.client = server.client();
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMESPACE_RANGE", "UID"})
    void haveTheServersObjects(By by) throws ApiException, IOException {
        List<String> created = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String namespace = server.createNamespace();
            for (String name : List.of("a", "b", "c")) {
                new CoreV1Api(client)
                        .createNamespacedConfigMap(
                                namespace,
                                new V1ConfigMap()
                                        .metadata(new V1ObjectMeta().name(name).putLabelsItem("by", by.name())))
                        .execute();
                created.add(namespace + "/" + name);
            }
        }
        Shards shards = new Shards(5, by);
        List<String> listed = new ArrayList<>();
        for (int shard = 0; shard < shards.count(); shard++) {
            for (JsonElement item : items(by, Objects.requireNonNull(shards.selector(shard)))) {
                JsonObject metadata = item.getAsJsonObject().getAsJsonObject("metadata");
                String namespace = metadata.get("namespace").getAsString();
                String name = metadata.get("name").getAsString();
                listed.add(namespace + "/" + name);
                assertThat(shards.of(namespace, name, metadata.get("uid").getAsString()))
                        .as("shard of %s", metadata)
                        .isEqualTo(shard);
            }
        }
        assertThat(listed).containsExactlyInAnyOrderElementsOf(created);
    }

    private Iterable<JsonElement> items(By by, String selector) throws IOException {
        HttpUrl url = Objects.requireNonNull(HttpUrl.parse(client.getBasePath() + "/api/v1/configmaps"))
                .newBuilder()
                .addQueryParameter("labelSelector", "by=" + by)
                .addQueryParameter("shardSelector", selector)
                .build();
        Request request = new Request.Builder().url(url).build();
        try (Response response = client.getHttpClient().newCall(request).execute()) {
            assertThat(response.code()).isEqualTo(200);
            return JsonParser.parseReader(response.body().charStream())
                    .getAsJsonObject()
                    .getAsJsonArray("items");
        }
    }
}

package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.reflect.TypeToken;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.util.Watch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a test learns of writes, and the means to bring watches up to date and to cut them. */
@EmbeddedApiServer
class WritesTest {

    private static V1ConfigMap create(CoreV1Api api, V1ObjectMeta metadata) throws ApiException {
        return api.createNamespacedConfigMap("default", new V1ConfigMap().metadata(metadata))
                .fieldManager("tester")
                .execute();
    }

    @Test
    void areRecordedWithWhoMadeThemAndWhatTheyChanged(ApiServer server, ApiClient client) throws ApiException {
        client.setUserAgent("kit/1.0");
        CoreV1Api api = new CoreV1Api(client);
        create(api, new V1ObjectMeta().name("before"));
        WriteRecording recording = server.recordWrites();
        V1ConfigMap map = create(api, new V1ObjectMeta().name("map"));
        api.replaceNamespacedConfigMap("map", "default", map.putDataItem("a", "b"))
                .execute();
        api.readNamespacedConfigMap("map", "default").execute();
        recording.close();
        api.deleteNamespacedConfigMap("map", "default").execute();

        assertThat(recording.writes())
                .extracting(RecordedWrite::toString)
                .containsExactly("create configmaps default/map by tester", "update configmaps default/map by kit");
        RecordedWrite update = recording.writes().get(1);
        assertThat(update.before().path("data").isMissingNode()).isTrue();
        assertThat(update.after().at("/data/a").asText()).isEqualTo("b");
        assertThat(update.userAgent()).isEqualTo("kit/1.0");
        assertThat(update.version()).isEqualTo(server.version() - 1);
    }

    @Test
    void leaveOutWhatChangesNothing(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        create(api, new V1ObjectMeta().name("map"));
        try (WriteRecording recording = server.recordWrites()) {
            api.replaceNamespacedConfigMap(
                            "map",
                            "default",
                            api.readNamespacedConfigMap("map", "default").execute())
                    .execute();
            assertThat(recording.writes()).isEmpty();
        }
    }

    @Test
    void ofTheServerAreToldFromThoseOfTheOneWhoAsked(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        V1ConfigMap owner = create(api, new V1ObjectMeta().name("owner"));
        create(
                api,
                new V1ObjectMeta()
                        .name("child")
                        .addOwnerReferencesItem(new V1OwnerReference()
                                .apiVersion("v1")
                                .kind("ConfigMap")
                                .name("owner")
                                .uid(owner.getMetadata().getUid())));
        try (WriteRecording recording = server.recordWrites()) {
            api.deleteNamespacedConfigMap("owner", "default").execute();
            assertThat(recording.writes())
                    .extracting(RecordedWrite::what)
                    .containsExactly("delete configmaps default/owner", "delete configmaps default/child");
            assertThat(recording.writes().get(0).userAgent()).isNotEmpty();
            assertThat(recording.writes().get(1)).hasToString("delete configmaps default/child by the API server");
            assertThat(recording.writes().get(1).after()).isNull();
        }
    }

    @Test
    void haveAllObjectsToLookAt(ApiServer server, ApiClient client) throws ApiException {
        create(new CoreV1Api(client), new V1ObjectMeta().name("map"));
        assertThat(server.objects())
                .filteredOn(object -> object.path("kind").asText().equals("ConfigMap"))
                .extracting(object -> object.at("/metadata/name").asText())
                .containsExactly("map");
    }

    @Test
    void areReachedByWatchesThatDoNotSeeThem(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        try (Watch<V1ConfigMap> watch = Watch.createWatch(
                client,
                api.listNamespacedConfigMap("default")
                        .watch(true)
                        .allowWatchBookmarks(true)
                        .labelSelector("mine=yes")
                        .resourceVersion(Long.toString(server.version()))
                        .buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
            create(new CoreV1Api(server.client()), new V1ObjectMeta().name("map"));
            server.sendBookmarks();
            Watch.Response<V1ConfigMap> first = watch.next();
            assertThat(first.type).isEqualTo("BOOKMARK");
            assertThat(first.object.getMetadata().getResourceVersion()).isEqualTo(Long.toString(server.version()));
        }
    }

    @Test
    void stayWhereTheyAreWhenTheServerRestarts(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        create(api, new V1ObjectMeta().name("map"));
        String url = server.url().toString();
        CompletableFuture<Boolean> cut = new CompletableFuture<>();
        try (Watch<V1ConfigMap> watch = Watch.createWatch(
                client,
                api.listNamespacedConfigMap("default").watch(true).buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
            assertThat(watch.next().type).isEqualTo("ADDED");
            server.restart();
            try {
                cut.complete(!watch.hasNext());
            } catch (RuntimeException e) {
                cut.complete(true);
            }
        }
        assertThat(cut).isCompletedWithValue(true);
        assertThat(server.url()).hasToString(url);
        await().ignoreExceptions()
                .until(() -> api.listNamespacedConfigMap("default").execute().getItems().stream()
                        .map(map -> map.getMetadata().getName())
                        .toList()
                        .equals(List.of("map")));
    }
}

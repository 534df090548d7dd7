package io.controllermanager.recorder.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.internal.StartedThreads;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@RealControlPlane
class EventBroadcasterControlPlaneTest {

    private final StartedThreads lanes = new StartedThreads("event-broadcaster");
    private final JumpingClock clock = new JumpingClock();
    private final Connected api;
    private final String namespace;
    private final EventBroadcaster broadcaster;
    private final EventRecorder recorder;

    EventBroadcasterControlPlaneTest(ControlPlane plane) {
        this.api = new Connected(plane);
        this.namespace = plane.createNamespace("events");
        this.broadcaster = new EventBroadcaster(api.connection().apiClient(), clock, "replica-1");
        this.recorder = broadcaster.recorder("test-controller");
    }

    @AfterEach
    void close() {
        broadcaster.close();
        api.close();
    }

    private List<EventsV1Event> events() throws ApiException {
        return api.client(ResourceTypes.EVENT).list(namespace);
    }

    private V1ConfigMap object(String name) throws ApiException {
        return api.configMaps().create(Connected.configMap(namespace, name, "1"));
    }

    @Test
    void writesAnEventAsKubectlShowsIt() throws Exception {
        V1ConfigMap object = object("a");

        recorder.normal(object, "Synced", "all is well");

        await().until(() -> events().size() == 1);
        EventsV1Event event = events().get(0);
        assertThat(event.getMetadata().getName()).matches("a\\.[0-9a-f]+");
        assertThat(event.getReason()).isEqualTo("Synced");
        assertThat(event.getNote()).isEqualTo("all is well");
        assertThat(event.getType()).isEqualTo("Normal");
        assertThat(event.getAction()).isNotEmpty();
        assertThat(event.getReportingController()).isEqualTo("test-controller");
        assertThat(event.getReportingInstance()).isEqualTo("replica-1");
        assertThat(event.getRegarding().getKind()).isEqualTo("ConfigMap");
        assertThat(event.getRegarding().getApiVersion()).isEqualTo("v1");
        assertThat(event.getRegarding().getUid()).isEqualTo(object.getMetadata().getUid());
        assertThat(event.getEventTime()).isNotNull();
    }

    @Test
    void foldsRepetitionsIntoASeries() throws Exception {
        V1ConfigMap object = object("a");
        for (int i = 0; i < 5; i++) {
            recorder.warning(object, "Failing", "it does not work");
        }
        recorder.warning(object, "Failing", "it does not work either");
        clock.unhurried(broadcaster::close);

        assertThat(events()).hasSize(2);
        assertThat(events())
                .filteredOn(event -> "it does not work".equals(event.getNote()))
                .singleElement()
                .satisfies(event -> assertThat(event.getSeries().getCount()).isEqualTo(5));
        assertThat(broadcaster.dropped()).isZero();
    }

    @Test
    void kubectlShowsWhenAndHowOften() throws Exception {
        recorder.normal(object("once"), "Synced", "all is well");
        V1ConfigMap object = object("often");
        for (int i = 0; i < 5; i++) {
            recorder.warning(object, "Failing", "it does not work");
        }
        clock.unhurried(broadcaster::close);

        // The table that kubectl get events prints comes from the API server.
        Map<String, String> once = row("Synced");
        assertThat(once.get("Count")).isEqualTo("1");
        assertThat(once.get("Last Seen")).matches("\\d+s");
        assertThat(once.get("First Seen")).matches("\\d+s");
        assertThat(once.get("Source")).startsWith("test-controller");
        assertThat(once.get("Object")).isEqualTo("configmap/once");
        Map<String, String> often = row("Failing");
        assertThat(often.get("Count")).isEqualTo("5");
        assertThat(often.get("Last Seen")).matches("\\d+s");
        // What kubectl describe reads.
        assertThat(events())
                .filteredOn(event -> "Failing".equals(event.getReason()))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getSeries().getLastObservedTime()).isAfterOrEqualTo(event.getEventTime());
                    assertThat(event.getDeprecatedCount()).isNull();
                });
    }

    private Map<String, String> row(String reason) throws Exception {
        ApiRequests requests = new ApiRequests(api.connection().apiClient());
        Request request = requests.request("GET", "/api/v1/namespaces/" + namespace + "/events", List.of(), null, null)
                .newBuilder()
                .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                .build();
        try (Response response = requests.call(request).execute()) {
            JsonObject table =
                    JsonParser.parseReader(response.body().charStream()).getAsJsonObject();
            for (JsonElement row : table.getAsJsonArray("rows")) {
                Map<String, String> cells = new HashMap<>();
                for (int i = 0; i < table.getAsJsonArray("columnDefinitions").size(); i++) {
                    cells.put(
                            table.getAsJsonArray("columnDefinitions")
                                    .get(i)
                                    .getAsJsonObject()
                                    .get("name")
                                    .getAsString(),
                            row.getAsJsonObject().getAsJsonArray("cells").get(i).getAsString());
                }
                if (reason.equals(cells.get("Reason"))) {
                    return cells;
                }
            }
        }
        throw new AssertionError("no Event with reason " + reason);
    }

    @Test
    void writesNoMoreThanABurstAboutOneObject() throws Exception {
        V1ConfigMap noisy = object("noisy");
        V1ConfigMap quiet = object("quiet");
        for (int i = 0; i < 1_000; i++) {
            recorder.warning(noisy, "Failing", "attempt " + i);
        }
        recorder.normal(quiet, "Synced", "all is well");
        broadcaster.recorder("another-controller").normal(noisy, "Seen", "by somebody else");
        clock.unhurried(broadcaster::close);

        assertThat(events())
                .filteredOn(event -> "Failing".equals(event.getReason()))
                .hasSize(25)
                .allMatch(event -> "noisy".equals(event.getRegarding().getName()));
        assertThat(events()).extracting(EventsV1Event::getReason).contains("Synced", "Seen");
        assertThat(broadcaster.dropped()).isZero();
    }

    @Test
    void createsASeriesAgainThatHasExpired() throws Exception {
        V1ConfigMap object = object("a");
        recorder.warning(object, "Failing", "it does not work");
        await().until(() -> events().size() == 1);
        String name = events().get(0).getMetadata().getName();
        api.client(ResourceTypes.EVENT).delete(namespace, name);
        recorder.warning(object, "Failing", "it does not work");
        clock.unhurried(broadcaster::close);

        assertThat(events()).singleElement().satisfies(event -> {
            assertThat(event.getMetadata().getName()).isEqualTo(name);
            assertThat(event.getSeries().getCount()).isEqualTo(2);
        });
        assertThat(broadcaster.dropped()).isZero();
    }

    @Test
    void shortensWhatTheApiServerWouldRefuse() throws Exception {
        recorder.normal(object("a"), "Long", "ü".repeat(2_000));

        await().until(() -> events().size() == 1);
        assertThat(events().get(0).getNote()).startsWith("üü").endsWith("...");
        assertThat(events().get(0).getNote().getBytes(StandardCharsets.UTF_8).length)
                .isBetween(1_000, 1_024);
    }

    @Test
    void putsEventsAboutObjectsWithoutNamespaceIntoDefault() throws Exception {
        V1Namespace object = api.client(ResourceTypes.NAMESPACE).get(null, namespace);
        assertThat(object).isNotNull();
        recorder.normal(java.util.Objects.requireNonNull(object), "Seen", "a namespace");

        await().until(() -> api.client(ResourceTypes.EVENT).list("default").stream()
                .anyMatch(event -> namespace.equals(event.getRegarding().getName())));
    }

    @Test
    void dropsQuietlyWhatCannotBeWritten() {
        recorder.normal(Connected.configMap("no-such-namespace", "a", "1"), "Lost", "nobody will see this");

        await().until(() -> broadcaster.dropped() == 1);
    }

    @Test
    void endsItsThread() throws Exception {
        recorder.normal(object("a"), "Synced", "all is well");
        await().until(() -> events().size() == 1);
        assertThat(lanes.living()).hasSize(1);
        broadcaster.close();

        lanes.awaitEnd();
    }
}

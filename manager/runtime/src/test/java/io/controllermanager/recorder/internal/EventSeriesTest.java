package io.controllermanager.recorder.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.junit.jupiter.api.Test;

/** What repetitions of an Event lead to, with the cases of client-go's eventseries_test.go. */
class EventSeriesTest {

    private final VirtualTime time = new VirtualTime();
    private final Events server = new Events();
    private final EventMetrics metrics = new EventMetrics(new SimpleMeterRegistry());
    private final EventSeries series = new EventSeries(
            new EventWriter(
                    new ApiClient(new OkHttpClient.Builder()
                                    .addInterceptor(server)
                                    .build())
                            .setBasePath("http://api.test"),
                    "replica-1",
                    new EventBuffer(100, 50, 4),
                    metrics),
            time,
            metrics);

    @Test
    void createsTheFirstAndMakesTheSecondASeries() throws Exception {
        record("a", "it failed");
        assertThat(server.sent).containsExactly("POST");
        time.advance(Duration.ofMinutes(2));
        record("a", "it failed");

        assertThat(server.sent).containsExactly("POST", "PATCH");
        assertThat(server.events.values()).singleElement().satisfies(event -> {
            assertThat(event.getAsJsonObject("series").get("count").getAsInt()).isEqualTo(2);
            assertThat(event.getAsJsonObject("series").get("lastObservedTime").getAsString())
                    .isEqualTo("2026-01-01T00:02:00.000000Z");
            assertThat(event.get("eventTime").getAsString()).startsWith("2026-01-01T00:00:00");
        });
    }

    @Test
    void tellsEventsWithDifferentNotesAndAboutDifferentObjectsApart() throws Exception {
        record("a", "it failed");
        record("a", "something else failed");
        record("b", "it failed");

        assertThat(server.sent).containsExactly("POST", "POST", "POST");
    }

    @Test
    void takesTheSameObjectForTheSameWhateverItsResourceVersion() throws Exception {
        series.record(event("a", "it failed", "1"), 1, time.now());
        series.record(event("a", "it failed", "2"), 1, time.now());

        assertThat(server.sent).containsExactly("POST", "PATCH");
    }

    @Test
    void writesTheCountOfALoopEverMoreRarely() throws Exception {
        List<Long> writtenAt = new ArrayList<>();
        for (int second = 0; second < 1_800; second++) {
            int before = server.sent.size();
            record("a", "it failed");
            while (series.nanosUntilDue() <= 0) {
                series.flush(false);
            }
            if (server.sent.size() > before) {
                writtenAt.add((long) second);
            }
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(writtenAt).containsExactly(0L, 1L, 6L, 16L, 36L, 76L, 156L, 316L, 616L, 916L, 1216L, 1516L);
        assertThat(series.nanosUntilDue())
                .isEqualTo(Duration.ofSeconds(1816 - 1800).toNanos());
    }

    @Test
    void writesTheFinalCountOfASeriesThatHasEnded() throws Exception {
        for (int i = 0; i < 7; i++) {
            record("a", "it failed");
        }
        assertThat(count()).isEqualTo(2);
        time.advance(Duration.ofNanos(series.nanosUntilDue()));
        series.flush(false);

        assertThat(count()).isEqualTo(7);
        assertThat(series.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void writesWhatIsNotYetDueWhenTheProcessEnds() throws Exception {
        for (int i = 0; i < 7; i++) {
            record("a", "it failed");
        }
        series.flush(true);

        assertThat(count()).isEqualTo(7);
    }

    @Test
    void forgetsWhatHasNotComeForTenMinutes() throws Exception {
        record("a", "it failed");
        time.advance(Duration.ofMinutes(10));
        record("a", "it failed");
        assertThat(server.sent).containsExactly("POST", "PATCH");
        time.advance(Duration.ofMinutes(10).plusNanos(1));
        record("a", "it failed");

        assertThat(server.sent).containsExactly("POST", "PATCH", "POST");
        assertThat(server.events).hasSize(2);
    }

    @Test
    void createsASeriesAgainWithItsCountWhenItHasExpired() throws Exception {
        for (int i = 0; i < 5; i++) {
            record("a", "it failed");
        }
        String name = server.events.keySet().iterator().next();
        server.events.clear();
        series.flush(true);

        assertThat(server.events).containsOnlyKeys(name);
        assertThat(count()).isEqualTo(5);
    }

    @Test
    void sendsARepetitionOfWhatWasRefusedNotEachTime() throws Exception {
        server.refuses = true;
        for (int i = 0; i < 100; i++) {
            record("a", "it failed");
        }
        assertThat(server.sent).containsExactly("POST", "PATCH");
        server.refuses = false;
        series.flush(true);

        assertThat(count()).isEqualTo(100);
    }

    @Test
    void writesTheCountOfWhatItForgetsForWantOfSpace() throws Exception {
        for (int i = 0; i < 3; i++) {
            record("first", "it failed");
        }
        for (int i = 0; i < EventSeries.CAPACITY; i++) {
            record("object-" + i, "it failed");
        }

        assertThat(server.events.values())
                .filteredOn(event -> event.has("series"))
                .singleElement()
                .satisfies(event -> assertThat(
                                event.getAsJsonObject("series").get("count").getAsInt())
                        .isEqualTo(3));
        assertThat(series.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
    }

    /** What an Event has become is of no interest; the connection serves the next request if nothing is left in it. */
    @Test
    void readsAnswersToTheirEndAndNothingInThem() throws Exception {
        Buffer unread = new Buffer();
        EventWriter writer = new EventWriter(
                new ApiClient(new OkHttpClient.Builder()
                                .addInterceptor(chain -> Events.answer(
                                        chain.request(), ResponseBody.create(unread.writeUtf8("an Event"), null, -1)))
                                .build())
                        .setBasePath("http://api.test"),
                "replica-1",
                new EventBuffer(100, 50, 4),
                metrics);

        assertThat(writer.create(event("a", "it failed", "1"), "a.1")).isTrue();
        assertThat(unread.size()).isZero();
    }

    private void record(String object, String note) throws InterruptedException {
        series.record(event(object, note, "1"), 1, time.now());
    }

    private int count() {
        assertThat(server.events).hasSize(1);
        return server.events
                .values()
                .iterator()
                .next()
                .getAsJsonObject("series")
                .get("count")
                .getAsInt();
    }

    private RecordedEvent event(String object, String note, String resourceVersion) {
        V1ObjectReference regarding = new V1ObjectReference()
                .apiVersion("v1")
                .kind("ConfigMap")
                .namespace("ns")
                .name(object)
                .uid("uid-" + object)
                .resourceVersion(resourceVersion);
        return new RecordedEvent("test-controller", "Warning", regarding, "Failed", note, time.now());
    }

    /** Keeps Events by name, until somebody takes them away. */
    private static final class Events implements Interceptor {

        private final Map<String, JsonObject> events = new LinkedHashMap<>();
        private final List<String> sent = new ArrayList<>();
        private boolean refuses;

        @Override
        public Response intercept(Chain chain) throws IOException {
            Request request = chain.request();
            sent.add(request.method());
            Buffer buffer = new Buffer();
            Objects.requireNonNull(request.body()).writeTo(buffer);
            JsonObject body = JsonParser.parseString(buffer.readUtf8()).getAsJsonObject();
            if (refuses) {
                return answer(request, 403, "Forbidden", "{\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\"}");
            }
            if (request.method().equals("POST")) {
                events.put(body.getAsJsonObject("metadata").get("name").getAsString(), body);
                return answer(request, 201, "Created", body.toString());
            }
            JsonObject event =
                    events.get(request.url().pathSegments().get(request.url().pathSize() - 1));
            if (event == null) {
                return answer(request, 404, "Not Found", "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\"}");
            }
            event.add("series", body.get("series"));
            return answer(request, 200, "OK", event.toString());
        }

        private static Response answer(Request request, int code, String message, String body) {
            return answer(request, ResponseBody.create(body, MediaType.get("application/json")))
                    .newBuilder()
                    .code(code)
                    .message(message)
                    .build();
        }

        private static Response answer(Request request, ResponseBody body) {
            return new Response.Builder()
                    .request(request)
                    .protocol(Protocol.HTTP_1_1)
                    .code(201)
                    .message("Created")
                    .body(body)
                    .build();
        }
    }
}

package io.controllermanager.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the broadcaster treats an API server that is slow: what it buffers, how many requests it has under way. */
@Timeout(60)
class EventBroadcasterTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SlowServer server = new SlowServer();
    private final EventBroadcaster broadcaster = new EventBroadcaster(
            new ApiClient(new OkHttpClient.Builder().addInterceptor(server).build()).setBasePath("http://api.test"),
            Clock.system(),
            "replica-1",
            new EventLimits(1_000, 1e-6),
            meters);
    private final EventRecorder recorder = broadcaster.recorder("test-controller");

    @AfterEach
    void end() {
        server.open.countDown();
        broadcaster.close();
    }

    @Test
    void losesNothingOfABurstOfThousands() {
        for (int i = 0; i < 10_000; i++) {
            recorder.normal(object("foo-" + i), "Synced", "all is well");
        }
        server.open.countDown();

        soon().until(() -> server.written.size() == 10_000);
        assertThat(broadcaster.dropped()).isZero();
    }

    @Test
    void dropsAndCountsWhatTheBufferDoesNotHold() {
        for (int i = 0; i < EventBroadcaster.CAPACITY + 7; i++) {
            recorder.normal(object("foo-" + i), "Synced", "all is well");
        }

        assertThat(broadcaster.dropped()).isEqualTo(7);
    }

    @Test
    void sendsOneRequestAtATimeUnlessThereIsABacklog() {
        for (int i = 0; i < 400; i++) {
            recorder.normal(object("foo-" + i), "Synced", "all is well");
        }
        soon().until(() -> lanesWaiting() == 3);
        assertThat(server.underWay).hasValue(1);

        for (int i = 400; i < 800; i++) {
            recorder.normal(object("foo-" + i), "Synced", "all is well");
        }
        soon().untilAsserted(() -> assertThat(server.underWay).hasValue(4));
        server.open.countDown();
        soon().until(() -> server.written.size() == 800);
        assertThat(server.mostUnderWay).hasValue(4);
    }

    @Test
    void keepsTheOrderOfOneObjectsEvents() {
        for (int i = 0; i < 1_000; i++) {
            for (String name : List.of("a", "b", "c", "d", "e")) {
                recorder.normal(object(name), "Step", name + " " + i);
            }
        }
        server.open.countDown();

        soon().until(() -> server.written.size() == 5_000);
        for (String name : List.of("a", "b", "c", "d", "e")) {
            assertThat(server.written.stream()
                            .filter(note -> note.startsWith(name + " "))
                            .map(note -> Integer.parseInt(note.substring(2))))
                    .isSorted()
                    .hasSize(1_000);
        }
    }

    @Test
    void writesWhatWasRecordedJustBeforeItIsClosed() {
        server.open.countDown();
        for (int i = 0; i < 100; i++) {
            recorder.warning(object("foo-" + i), "Stopping", "last words");
        }
        broadcaster.close();

        assertThat(server.written).hasSize(100);
        recorder.warning(object("foo"), "Stopped", "too late");
        assertThat(broadcaster.dropped()).isEqualTo(1);
        assertThat(server.written).hasSize(100);
    }

    @Test
    void closesInTimeAndCountsWhatIsLostWhenTheServerDoesNotAnswer() {
        for (int i = 0; i < 100; i++) {
            recorder.warning(object("foo-" + i), "Stopping", "last words");
        }
        long begun = System.nanoTime();
        broadcaster.close();

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofMillis(1_900), Duration.ofSeconds(4));
        soon().untilAsserted(() -> assertThat(broadcaster.dropped()).isEqualTo(100));
        soon().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("event-broadcaster")));
    }

    @Test
    void givesRepetitionsThatWaitNoPlaceOfTheirOwn() {
        for (int i = 0; i < EventBroadcaster.CAPACITY + 7; i++) {
            recorder.warning(object("foo"), "Failed", "again");
        }
        recorder.warning(object("bar"), "Failed", "once");
        assertThat(broadcaster.dropped()).isZero();
        server.open.countDown();
        broadcaster.close();

        assertThat(server.written).contains("again", "once");
        assertThat(server.written).filteredOn(body -> body.contains("series")).hasSizeBetween(1, 2);
        assertThat(server.written).anyMatch(body -> body.contains("\"count\":" + (EventBroadcaster.CAPACITY + 7)));
        assertThat(counted("series")).isEqualTo(EventBroadcaster.CAPACITY + 6);
    }

    @Test
    void countsWhatBecomesOfEvents() {
        for (int i = 0; i < 1_010; i++) {
            recorder.normal(object("foo"), "Step", "step " + i);
        }
        recorder.normal(object("foo"), "Step", "step 999");
        assertThat(counted("filtered")).isEqualTo(10);
        server.open.countDown();
        soon().until(() -> counted("written") == 1_000);
        recorder.normal(object("bar"), "Step", SlowServer.ERROR);
        soon().until(() -> counted("failed") == 1);
        broadcaster.close();
        recorder.normal(object("bar"), "Step", "too late");

        assertThat(counted("written")).isEqualTo(1_000);
        assertThat(counted("series")).isEqualTo(1);
        assertThat(counted("filtered")).isEqualTo(10);
        assertThat(counted("dropped")).isEqualTo(1);
        assertThat(broadcaster.dropped()).isEqualTo(2);
    }

    private double counted(String result) {
        return meters.get("event_recorder_events")
                .tag("result", result)
                .functionCounter()
                .count();
    }

    @Test
    void goesOnAfterAnError() {
        server.open.countDown();
        recorder.normal(object("foo"), "Step", SlowServer.ERROR);
        soon().untilAsserted(() -> assertThat(broadcaster.dropped()).isEqualTo(1));
        for (int i = 0; i < 10; i++) {
            recorder.normal(object("foo"), "Step", "after " + i);
        }

        soon().until(() -> server.written.size() == 10);
        assertThat(broadcaster.dropped()).isEqualTo(1);
    }

    private static org.awaitility.core.ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5));
    }

    private static long lanesWaiting() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().startsWith("event-broadcaster"))
                .filter(entry -> List.of(entry.getValue()).stream()
                        .anyMatch(frame -> frame.getMethodName().equals("beginRequest")))
                .count();
    }

    private static V1ConfigMap object(String name) {
        return new V1ConfigMap()
                .apiVersion("v1")
                .kind("ConfigMap")
                .metadata(new V1ObjectMeta().namespace("ns").name(name).uid("uid-" + name));
    }

    /** Answers once it is opened, with what it was sent. */
    private static final class SlowServer implements Interceptor {

        /** The note of an Event that cannot be sent. */
        private static final String ERROR = "error";

        private final CountDownLatch open = new CountDownLatch(1);
        private final List<String> written = new CopyOnWriteArrayList<>();
        private final AtomicInteger underWay = new AtomicInteger();
        private final AtomicInteger mostUnderWay = new AtomicInteger();

        @Override
        public Response intercept(Chain chain) throws IOException {
            Request request = chain.request();
            int now = underWay.incrementAndGet();
            mostUnderWay.accumulateAndGet(now, Math::max);
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                underWay.decrementAndGet();
            }
            String body = body(request);
            String note = body.replaceAll(".*\"note\":\"([^\"]*)\".*", "$1");
            if (note.equals(ERROR)) {
                throw new StackOverflowError();
            }
            written.add(note);
            return new Response.Builder()
                    .request(request)
                    .protocol(Protocol.HTTP_2)
                    .code(201)
                    .message("Created")
                    .body(ResponseBody.create(body, null))
                    .build();
        }

        private static String body(Request request) throws IOException {
            okhttp3.@Nullable RequestBody body = request.body();
            Buffer buffer = new Buffer();
            if (body != null) {
                body.writeTo(buffer);
            }
            return buffer.readUtf8();
        }
    }
}

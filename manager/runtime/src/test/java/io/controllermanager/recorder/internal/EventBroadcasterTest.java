package io.controllermanager.recorder.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.internal.StartedThreads;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
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

/** How the broadcaster treats an API server that is slow: what it buffers, how many requests it has under way. */
class EventBroadcasterTest {

    private final StartedThreads lanes = new StartedThreads("event-broadcaster");
    private final JumpingClock clock = new JumpingClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SlowServer server = new SlowServer();
    private final EventBroadcaster broadcaster = new EventBroadcaster(
            new ApiClient(new OkHttpClient.Builder().addInterceptor(server).build()).setBasePath("http://api.test"),
            clock,
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

        await().until(() -> server.written.size() == 10_000);
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
        await().until(() -> lanesWaiting() == 3);
        assertThat(server.underWay).hasValue(1);

        for (int i = 400; i < 800; i++) {
            recorder.normal(object("foo-" + i), "Synced", "all is well");
        }
        await().untilAsserted(() -> assertThat(server.underWay).hasValue(4));
        server.open.countDown();
        await().until(() -> server.written.size() == 800);
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

        await().until(() -> server.written.size() == 5_000);
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
        clock.unhurried(broadcaster::close);

        assertThat(server.written).hasSize(100);
        recorder.warning(object("foo"), "Stopped", "too late");
        assertThat(broadcaster.dropped()).isEqualTo(1);
        assertThat(server.written).hasSize(100);
    }

    @Test
    void closesInTimeAndCountsWhatIsLostWhenTheServerDoesNotAnswer() throws Exception {
        for (int i = 0; i < 100; i++) {
            recorder.warning(object("foo-" + i), "Stopping", "last words");
        }
        assertThat(EventBroadcaster.CLOSE_LIMIT).isEqualTo(Duration.ofSeconds(2));
        clock.jump(EventBroadcaster.CLOSE_LIMIT, broadcaster::close);

        lanes.awaitEnd();
        assertThat(broadcaster.dropped()).isEqualTo(100);
        assertThat(server.written).isEmpty();
    }

    @Test
    void givesRepetitionsThatWaitNoPlaceOfTheirOwn() {
        for (int i = 0; i < EventBroadcaster.CAPACITY + 7; i++) {
            recorder.warning(object("foo"), "Failed", "again");
        }
        recorder.warning(object("bar"), "Failed", "once");
        assertThat(broadcaster.dropped()).isZero();
        server.open.countDown();
        clock.unhurried(broadcaster::close);

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
        await().until(() -> counted("written") == 1_000);
        recorder.normal(object("bar"), "Step", SlowServer.ERROR);
        await().until(() -> counted("failed") == 1);
        clock.unhurried(broadcaster::close);
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
        await().untilAsserted(() -> assertThat(broadcaster.dropped()).isEqualTo(1));
        for (int i = 0; i < 10; i++) {
            recorder.normal(object("foo"), "Step", "after " + i);
        }

        await().until(() -> server.written.size() == 10);
        assertThat(broadcaster.dropped()).isEqualTo(1);
    }

    private long lanesWaiting() {
        return lanes.living().values().stream()
                .filter(stack -> Arrays.stream(stack)
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
        private final List<String> written = Collections.synchronizedList(new ArrayList<>());
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

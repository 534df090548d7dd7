package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Okio;
import okio.Pipe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A type that goes and comes back, in virtual time: how soon informers see that, and what their waiting costs. */
class MissingTypeTest {

    private static final Set<String> NAMESPACES =
            IntStream.range(0, 20).mapToObj(i -> "n" + i).collect(Collectors.toUnmodifiableSet());

    private static final ResourceType<Widget> WIDGETS =
            ResourceType.namespaced(Widget.class, "informer.test", "v1", "Widget", "widgets");

    /** Every pause is shorter. The alarm of a request that is under way is as long at least. */
    private static final Duration SHORTEST_ALARM = Duration.ofSeconds(5);

    /** The alarm of a watch that is open is as long at least, and those of other requests are shorter. */
    private static final Duration SHORTEST_WATCH = Duration.ofMinutes(2);

    private final VirtualTime time = new VirtualTime();
    private final FakeServer server = new FakeServer();
    private final ApiConnection connection = ApiConnection.builder(time, time)
            .apiClient(new ApiClient(
                            new OkHttpClient.Builder().addInterceptor(server).build())
                    .setBasePath("http://fake"))
            .build();
    private final InformerFactory factory =
            new InformerFactory(connection, time, time, InformerOptions.DEFAULTS.withNamespaces(NAMESPACES));
    private final HostInformer<Widget> informer = factory.informer(WIDGETS);

    @BeforeEach
    void start() {
        informer.run();
        await().until(this::watching);
        // A watch that ends at once counts as failed.
        time.advance(Duration.ofMinutes(1));
    }

    @AfterEach
    void close() {
        factory.close();
        connection.close();
    }

    @ParameterizedTest(name = "away for {0} s, then turned away {1} times")
    @CsvSource({"1, 0", "30, 0", "30, 1", "150, 1", "600, 1"})
    void isReadWithinSecondsOfBeingServedHoweverLongItWasAway(int away, int initializing) {
        server.remove();
        passAtLeast(Duration.ofSeconds(away));
        server.serve(initializing);
        long served = time.nanoTime();

        passUntil(() -> server.reads.keySet().containsAll(NAMESPACES));

        assertThat(server.reads.values())
                .extracting(read -> Duration.ofNanos(read - served))
                .allSatisfy(late -> assertThat(late).isLessThan(Duration.ofSeconds(5)));
    }

    @Test
    void costsOneRequestEveryTwoSecondsHoweverManyWaitAndNoneAfterwards() {
        server.requests.clear();
        server.remove();
        // Each is told by its own request that there is nothing to watch: for the version, since its watch has ended
        // early.
        passUntil(() -> server.count("list") >= NAMESPACES.size() && server.count("discovery") > 0);
        // Some of those lists may be the second of one informer, and the first of another still to come.
        passAtLeast(Duration.ofSeconds(10));
        server.requests.clear();
        passAtLeast(Duration.ofMinutes(4));

        assertThat(server.count("discovery")).isBetween(118L, 121L);
        assertThat(server.requests).containsOnly("discovery");

        server.serve(0);
        passUntil(this::watching);
        server.requests.clear();
        time.advance(Duration.ofMinutes(2));
        assertThat(server.requests).isEmpty();
    }

    @Test
    void whereDiscoveryIsNotAllowedTheListTells() {
        server.discoveryIsForbidden = true;
        server.remove();
        // Each turn is a request of each informer here.
        passAtLeast(Duration.ofMinutes(1));
        server.serve(1);
        long served = time.nanoTime();

        passUntil(() -> server.reads.keySet().containsAll(NAMESPACES));

        assertThat(server.reads.values())
                .extracting(read -> Duration.ofNanos(read - served))
                .allSatisfy(late -> assertThat(late).isLessThan(Duration.ofSeconds(5)));
    }

    /**
     * Whether every reflector reads from its watch, so that none opens one or pauses any more. That a server has answered
     * is too early to let time pass: the alarm of whoever still opens its watch would go off.
     */
    private boolean watching() {
        return server.openWatches.size() == NAMESPACES.size()
                && haveTasks(delay -> delay.compareTo(SHORTEST_WATCH) >= 0);
    }

    /** Whether no request is under way but watches that are open: the other reflectors pause. */
    private boolean waiting() {
        return haveTasks(delay -> delay.compareTo(SHORTEST_ALARM) < 0 || delay.compareTo(SHORTEST_WATCH) >= 0);
    }

    /**
     * Whether each reflector has one task, the end of its pause or the alarm for its request, and all are such. After a 429
     * there may be one more: whether the API server is overloaded is asked a moment later.
     */
    private boolean haveTasks(Predicate<Duration> such) {
        List<Duration> delays = time.scheduledFor();
        return delays.size() >= NAMESPACES.size() && delays.stream().allMatch(such);
    }

    /** Lets time pass for as long as informers wait for nothing else. */
    private void passAtLeast(Duration duration) {
        long until = time.nanoTime() + duration.toNanos();
        passUntil(() -> time.nanoTime() - until >= 0);
    }

    private void passUntil(BooleanSupplier done) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            if (done.getAsBoolean()) {
                return true;
            }
            if (waiting()) {
                Duration next = time.untilNextTask();
                // The alarm of an open watch is left alone.
                if (next != null && next.compareTo(SHORTEST_ALARM) < 0) {
                    time.advance(next);
                }
            }
            return done.getAsBoolean();
        });
    }

    /** Serves one type or not, and notes when what was read. */
    private final class FakeServer implements Interceptor {

        private final Map<String, Long> reads = new ConcurrentHashMap<>();
        private final Map<String, Integer> initializing = new ConcurrentHashMap<>();
        private final ConcurrentLinkedQueue<Pipe> openWatches = new ConcurrentLinkedQueue<>();
        private final List<String> requests = new CopyOnWriteArrayList<>();
        private volatile boolean served = true;
        private volatile boolean discoveryIsForbidden;

        void remove() {
            served = false;
            for (Pipe watch = openWatches.poll(); watch != null; watch = openWatches.poll()) {
                end(watch);
            }
        }

        private static void end(Pipe watch) {
            try {
                watch.sink().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** From now on, and each list is turned away so many times before that. */
        void serve(int times) {
            reads.clear();
            Map<String, Integer> turnedAway = new TreeMap<>();
            NAMESPACES.forEach(namespace -> turnedAway.put(namespace, times));
            initializing.putAll(turnedAway);
            served = true;
        }

        long count(String kind) {
            return requests.stream().filter(kind::equals).count();
        }

        @Override
        public Response intercept(Chain chain) throws IOException {
            Request request = chain.request();
            String path = request.url().encodedPath();
            if (path.equals("/readyz")) {
                return answer(request, 200, "ok").build();
            }
            if (path.equals("/apis/informer.test/v1")) {
                requests.add("discovery");
                return discover(request);
            }
            boolean watch = request.url().queryParameter("watch") != null;
            requests.add(watch ? "watch" : "list");
            if (!served) {
                return answer(request, 404, "404 page not found\n").build();
            }
            String namespace = request.url().pathSegments().get(4);
            if (initializing.merge(namespace, -1, Integer::sum) >= 0) {
                return answer(request, 429, "{\"kind\":\"Status\",\"message\":\"storage is (re)initializing\"}")
                        .header("Retry-After", "1")
                        .build();
            }
            // This server has no WatchList.
            if (request.url().queryParameter("sendInitialEvents") != null) {
                return answer(request, 422, "{}").build();
            }
            reads.put(namespace, time.nanoTime());
            return watch ? watch(request) : list(request);
        }

        private Response discover(Request request) {
            if (discoveryIsForbidden) {
                return answer(request, 403, "{}").build();
            }
            return served
                    ? answer(request, 200, """
                            {"kind":"APIResourceList","groupVersion":"informer.test/v1","resources":[
                             {"name":"widgets","kind":"Widget","namespaced":true,"singularName":"widget","verbs":[]}]}""").build()
                    : answer(request, 404, "404 page not found\n").build();
        }

        private static Response list(Request request) {
            return answer(request, 200, """
                    {"kind":"WidgetList","metadata":{"resourceVersion":"7"},"items":[]}""").build();
        }

        private Response watch(Request request) {
            Pipe events = new Pipe(1);
            openWatches.add(events);
            return answer(request, 200, "")
                    .body(ResponseBody.create(Okio.buffer(events.source()), MediaType.get("application/json"), -1))
                    .build();
        }

        private static Response.Builder answer(Request request, int code, String body) {
            return new Response.Builder()
                    .request(request)
                    .protocol(Protocol.HTTP_2)
                    .code(code)
                    .message("")
                    .body(ResponseBody.create(body, MediaType.get("application/json")));
        }
    }
}

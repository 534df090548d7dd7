package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * An informer and a server that follows a script: one answer after the other for lists, and the same for watches. It has
 * no WatchList.
 */
@Isolated("It looks at all threads.")
class HttpListWatchTest {

    private final HttpServer server;
    private final ExecutorService serverThreads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Queue<Answer> lists = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> watches = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<Integer> timeouts = new CopyOnWriteArrayList<>();
    private final AtomicInteger watchLists = new AtomicInteger();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection;
    private final InformerFactory factory;
    private final HostInformer<V1ConfigMap> informer;
    private final EventLog<V1ConfigMap> log = new EventLog<>();

    @FunctionalInterface
    private interface Answer {
        void send(HttpExchange exchange) throws IOException;
    }

    HttpListWatchTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(serverThreads);
        server.createContext("/", this::answer);
        server.start();
        connection = ApiConnection.builder(Clock.system(), timer).build();
        connection.connect(new ApiAccessResolver(Map.of(), Clock.system())
                .resolve(null, "http://127.0.0.1:" + server.getAddress().getPort()));
        factory = new InformerFactory(connection, Clock.system(), timer, InformerOptions.DEFAULTS);
        informer = factory.informer(ResourceTypes.CONFIG_MAP);
        informer.subscribe("test", log, Duration.ZERO);
    }

    @AfterEach
    void close() {
        end.countDown();
        factory.close();
        connection.close();
        timer.close();
        server.stop(0);
        serverThreads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String uri = exchange.getRequestURI().toString();
            if (uri.equals("/readyz")) {
                text(200, "ok").send(exchange);
                return;
            }
            if (uri.contains("sendInitialEvents")) {
                watchLists.incrementAndGet();
                text(
                                422,
                                "{\"kind\":\"Status\",\"code\":422,\"reason\":\"Invalid\",\"message\":\"sendInitialEvents is"
                                        + " forbidden for watch unless the WatchList feature gate is enabled\"}")
                        .send(exchange);
                return;
            }
            if (uri.matches(".*[?&]limit=1(&.*)?")) {
                text(200, list(1_000_000)).send(exchange);
                return;
            }
            boolean watch = uri.contains("watch=true");
            requests.add((watch ? "watch " : "list ") + uri.replaceAll("timeoutSeconds=\\d+", "timeoutSeconds=T"));
            Matcher timeout = Pattern.compile("timeoutSeconds=(\\d+)").matcher(uri);
            if (timeout.find()) {
                timeouts.add(Integer.valueOf(timeout.group(1)));
            }
            Answer next = (watch ? watches : lists).poll();
            (next == null ? silence() : next).send(exchange);
        }
    }

    private static Answer text(int code, String body) {
        return exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(code, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    /** Compressed if the client asked for that, 406 if not. */
    private static Answer compressed(String body) {
        return exchange -> {
            if (!"gzip".equals(exchange.getRequestHeaders().getFirst("Accept-Encoding"))) {
                exchange.sendResponseHeaders(406, -1);
                return;
            }
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream compressing = new GZIPOutputStream(exchange.getResponseBody())) {
                compressing.write(body.getBytes(StandardCharsets.UTF_8));
            }
        };
    }

    /** Lines, then the regular end. */
    private static Answer lines(String... lines) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        };
    }

    /** Lines, then nothing more, with the connection open. */
    private Answer open(String... lines) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            OutputStream body = exchange.getResponseBody();
            body.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
            body.flush();
            untilEnd();
        };
    }

    private Answer silence() {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            untilEnd();
        };
    }

    private void untilEnd() {
        until(end);
    }

    private static void until(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String object(String name, int version) {
        return object(name, version, "uid-" + name);
    }

    private static String object(String name, int version, String uid) {
        return """
                {"metadata":{"name":"%s","namespace":"n","uid":"%s","resourceVersion":"%d"},"data":{"k":"v%d"}}""".formatted(name, uid, version, version);
    }

    private static String list(int version, String... objects) {
        return """
                {"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}""".formatted(version, String.join(",", objects));
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private static String gone() {
        return event("ERROR", "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}");
    }

    private List<String> lists() {
        return requests.stream().filter(request -> request.startsWith("list")).toList();
    }

    private List<String> watches() {
        return requests.stream().filter(request -> request.startsWith("watch")).toList();
    }

    @Test
    void listsWhateverIsAtHandAndThenWatchesFromThere() {
        lists.add(text(200, list(7, object("a", 5))));

        informer.run();

        await().until(() -> watches().size() == 1);
        assertThat(requests)
                .containsExactly(
                        "list /api/v1/configmaps?limit=500&resourceVersion=0",
                        "watch /api/v1/configmaps?watch=true&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=T");
    }

    @Test
    void readsAListInPages() {
        String first = list(7, object("a", 5)).replace("\"7\"", "\"7\",\"continue\":\"tok en\"");
        lists.add(text(200, first));
        lists.add(text(200, list(7, object("b", 6))));

        informer.run();

        await().until(informer::hasSynced);
        assertThat(lists())
                .containsExactly(
                        "list /api/v1/configmaps?limit=500&resourceVersion=0",
                        "list /api/v1/configmaps?limit=500&continue=tok%20en");
        assertThat(informer.getIndexer().listKeys()).containsExactlyInAnyOrder("n/a", "n/b");
    }

    @Test
    void asksForACompressedList() {
        lists.add(compressed(list(7, object("a", 5), object("b", 6))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "initial b"));
        assertThat(lists()).hasSize(1);
    }

    @Test
    void goesOnFromTheLastVersionWhenAWatchEnds() {
        lists.add(text(200, list(7)));
        watches.add(lines(event("ADDED", object("a", 9))));
        watches.add(lines(event("BOOKMARK", "{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"20\"}}")));

        informer.run();

        await().until(() -> watches().size() == 3);
        assertThat(watches().get(1)).contains("resourceVersion=9&");
        assertThat(watches().get(2)).contains("resourceVersion=20&");
        assertThat(lists()).hasSize(1);
        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("created a"));
        await().until(() -> informer.lastSyncResourceVersion().equals("20"));
    }

    @Test
    void goesOnFromTheLastWholeEventWhenAConnectionBreaksWithinOne() {
        lists.add(text(200, list(7)));
        watches.add(lines(
                event("ADDED", object("a", 9)), event("ADDED", object("b", 10)).substring(0, 40)));

        informer.run();

        await().until(() -> watches().size() == 2);
        assertThat(watches().get(1)).contains("resourceVersion=9&");
        assertThat(log.entries()).containsExactly("created a");
        assertThat(lists()).hasSize(1);
    }

    @Test
    void listsTheMostRecentStateAfterItsVersionIsGoneAndTellsDifferences() {
        lists.add(text(200, list(7, object("same", 1), object("changed", 2), object("gone", 3), object("remade", 4))));
        watches.add(lines(gone()));
        lists.add(text(
                200,
                list(
                        30,
                        object("same", 1),
                        object("changed", 21),
                        object("new", 22),
                        object("remade", 23, "another-uid"))));

        informer.run();

        await().until(() -> watches().size() == 2);
        assertThat(lists().get(1)).isEqualTo("list /api/v1/configmaps?limit=500");
        await().untilAsserted(() -> assertThat(log.entries())
                .containsExactly(
                        "initial same",
                        "initial changed",
                        "initial gone",
                        "initial remade",
                        "updated changed",
                        "created new",
                        "vanished remade",
                        "created remade",
                        "vanished gone"));
        assertThat(watches().get(1)).contains("resourceVersion=30&");
        assertThat(watchLists).as("asked for once").hasValue(1);
    }

    @Test
    void listsAgainWhenTheWatchIsRefusedAsTooOld() {
        lists.add(text(200, list(7, object("a", 1))));
        watches.add(text(410, "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}"));
        lists.add(text(200, list(9, object("a", 1))));

        informer.run();

        await().until(() -> watches().size() == 2);
        assertThat(lists()).hasSize(2);
        assertThat(log.entries()).containsExactly("initial a");
    }

    @Test
    void servesTheOldStateWhileAListFails() {
        lists.add(text(200, list(7, object("a", 1))));
        watches.add(lines(gone()));
        lists.add(text(500, "no"));

        informer.run();

        await().until(() -> lists().size() == 2);
        assertThat(informer.hasSynced()).isTrue();
        assertThat(informer.getIndexer().listKeys()).containsExactly("n/a");
        await().untilAsserted(() -> assertThat(informer.status().lastError()).contains("HTTP 500: no"));
    }

    @Test
    void triesAgainAfterAnError() {
        lists.add(text(500, "no"));
        lists.add(text(200, list(7, object("a", 1))));

        informer.run();

        await().until(informer::hasSynced);
        assertThat(lists()).hasSize(2);
    }

    @Test
    void triesAgainAfterGarbledJson() {
        lists.add(text(200, list(7, object("a", 1)).replace("]}", "")));
        lists.add(text(200, "<html>not an API server</html>"));
        lists.add(text(200, list(7, object("a", 1))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a"));
    }

    @Test
    void leavesOutAnObjectThatDoesNotFitItsClass() {
        String odd = object("odd", 2).replace("\"data\":{\"k\":\"v2\"}", "\"data\":\"text\"");
        lists.add(text(200, list(7, object("a", 1), odd)));
        lists.add(text(200, list(7, object("a", 1), odd)));
        watches.add(open(event("ADDED", odd.replace("\"2\"", "\"8\"")), event("ADDED", object("b", 9))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "created b"));
        await().until(() -> informer.lastSyncResourceVersion().equals("9"));
    }

    @Test
    void leavesOutAnObjectWhoseFieldNoAdapterCanRead() {
        // An exception that is none of Gson's.
        String odd = object("odd", 2).replace("\"data\":{\"k\":\"v2\"}", "\"binaryData\":{\"k\":\"%%%\"}");
        lists.add(text(200, list(7, object("a", 1), odd)));
        lists.add(text(200, list(7, object("a", 1), odd)));
        watches.add(open(event("ADDED", odd.replace("\"2\"", "\"8\"")), event("ADDED", object("b", 9))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "created b"));
    }

    @Test
    void takesNothingFromALineThatIsNoJson() {
        lists.add(text(200, list(7)));
        watches.add(lines(
                event("ADDED", object("a", 8)), event("ADDED", object("b", 9)).replace('"', '\'')));
        watches.add(lines(event("ADDED", object("c", 9)) + "{}"));
        watches.add(open(event("ADDED", object("d", 10))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("created a", "created d"));
        assertThat(watches().get(2)).contains("resourceVersion=8&");
        assertThat(informer.status().reflectors().get(0).undecodable()).isEqualTo(2);
    }

    @Test
    void doesNotHammerAServerThatEndsWatchesAtOnce() {
        lists.add(text(200, list(7)));
        for (int i = 0; i < 100; i++) {
            watches.add(text(200, ""));
        }
        VirtualTime time = new VirtualTime();
        try (InformerFactory timed = new InformerFactory(connection, time, time, InformerOptions.DEFAULTS)) {
            timed.informer(ResourceTypes.CONFIG_MAP).run();

            Duration wait = Duration.ofMillis(800);
            for (int tries = 1; tries <= 5; tries++) {
                int expected = tries;
                // Each wait is drawn out by up to its own length.
                Duration longest = wait.multipliedBy(2);
                Duration least = wait;
                await().untilAsserted(() -> {
                    assertThat(watches()).hasSize(expected);
                    assertThat(isPausing(time, longest)).isTrue();
                    assertThat(time.untilNextTask()).isGreaterThanOrEqualTo(least);
                });
                time.advanceToNextTask();
                wait = longest;
            }
        }
    }

    /** Waiting is all it does: the alarm for a watch that does not open within 5 s is set no longer. */
    private static boolean isPausing(VirtualTime time, Duration limit) {
        List<Duration> delays = time.scheduledDelays();
        return delays.size() == 1
                && delays.get(0).compareTo(limit) <= 0
                && !delays.get(0).equals(Duration.ofSeconds(5));
    }

    @Test
    void opensAQuietWatchAnewThatCannotBePinged() {
        CountDownLatch speak = new CountDownLatch(1);
        lists.add(text(200, list(7)));
        watches.add(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            until(speak);
            exchange.getResponseBody().write((event("ADDED", object("b", 8)) + "\n").getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            untilEnd();
        });
        VirtualTime time = new VirtualTime();
        try (InformerFactory timed = new InformerFactory(connection, time, time, InformerOptions.DEFAULTS)) {
            HostInformer<V1ConfigMap> quiet = timed.informer(ResourceTypes.CONFIG_MAP);
            quiet.run();
            await().until(() -> quiet.status().connected());

            time.advance(Duration.ofSeconds(20));
            speak.countDown();
            await().until(() -> quiet.getIndexer().list().size() == 1);
            assertThat(watches()).hasSize(1);

            time.advance(Duration.ofSeconds(25));
            await().until(() -> watches().size() == 2);
            assertThat(quiet.status().lastError()).isNull();
            assertThat(timeouts.get(0)).isBetween(300, 600);
            assertThat(timeouts.get(1))
                    .as("ended by the server, after a bookmark")
                    .isLessThan(25);
        }
    }

    @Test
    void namesTheMissingPermission() {
        lists.add(text(
                403,
                "{\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"configmaps is forbidden: User"
                        + " \\\"u\\\" cannot list resource\"}"));

        informer.run();

        await().untilAsserted(() -> assertThat(informer.status().lastError())
                .isEqualTo("list configmaps: HTTP 403 Forbidden: configmaps is forbidden: User \"u\" cannot list"
                        + " resource"));
        assertThat(informer.hasSynced()).isFalse();
    }

    @Test
    void waitsAsLongAsItIsToldWhenTurnedAway() {
        lists.add(exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "1");
            text(429, "later").send(exchange);
        });
        lists.add(text(200, list(7, object("a", 1))));
        List<Duration> pauses = new CopyOnWriteArrayList<>();
        try (InformerFactory noting = new InformerFactory(
                connection,
                Clock.system(),
                (delay, task) -> {
                    pauses.add(delay);
                    return timer.schedule(delay, task);
                },
                InformerOptions.DEFAULTS)) {
            HostInformer<V1ConfigMap> told = noting.informer(ResourceTypes.CONFIG_MAP);

            told.run();

            await().until(told::hasSynced);
        }
        assertThat(pauses.get(0)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void transformsObjectsBeforeTheyAreStored() {
        lists.add(text(200, list(7, object("a", 1))));
        watches.add(open(event("ADDED", object("b", 8))));
        informer.setTransform(object -> {
            ((V1ConfigMap) object).setData(null);
            return object;
        });

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "created b"));
        assertThat(informer.getIndexer().list())
                .allSatisfy(object -> assertThat(object.getData()).isNull());
    }

    @Test
    void tellsALateSubscriberThePresentStateAndThenEachChange() {
        lists.add(text(200, list(7, object("a", 1), object("b", 2))));
        informer.run();
        await().until(informer::hasSynced);

        EventLog<V1ConfigMap> late = new EventLog<>();
        Subscription subscription = informer.subscribe("late", late, Duration.ZERO);

        await().until(subscription::hasSynced);
        assertThat(late.entries()).containsExactlyInAnyOrder("initial a", "initial b");
    }

    @Test
    void keepsDeliveringAfterASubscriberFailed() {
        lists.add(text(200, list(7, object("a", 1), object("b", 2))));
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Subscription subscription = informer.subscribe(
                "failing",
                event -> {
                    seen.add(event.object().getMetadata().getName());
                    throw new IllegalStateException("a subscriber's own mistake");
                },
                Duration.ZERO);

        informer.run();

        await().until(subscription::hasSynced);
        assertThat(seen).hasSize(2);
    }

    @Test
    void letsASlowSubscriberDelayNobody() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        lists.add(text(200, list(7, object("a", 1))));
        watches.add(open(event("ADDED", object("b", 8)), event("DELETED", object("a", 9))));
        Subscription stuck = informer.subscribe(
                "slow",
                event -> {
                    try {
                        slow.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                Duration.ZERO);

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "created b", "deleted a"));
        assertThat(informer.getIndexer().listKeys()).containsExactly("n/b");
        assertThat(stuck.hasSynced()).isFalse();
        slow.countDown();
        await().until(stuck::hasSynced);
    }

    @Test
    void deliversEverythingAgainAtEachResync() {
        lists.add(text(200, list(7, object("a", 1))));
        EventLog<V1ConfigMap> resynced = new EventLog<>();
        informer.subscribe("resync", resynced, Duration.ofMillis(50));

        informer.run();

        await().untilAsserted(() -> assertThat(resynced.entries()).startsWith("initial a", "updated a", "updated a"));
        assertThat(log.entries()).containsExactly("initial a");
    }

    @Test
    void leavesNoThreadBehind() {
        lists.add(text(200, list(7, object("a", 1))));
        informer.run();
        await().until(informer::hasSynced);
        assertThat(threads()).contains("informer-configmaps", "informer-configmaps-test");

        factory.close();

        await().untilAsserted(() -> assertThat(threads()).noneMatch(name -> name.startsWith("informer-configmaps")));
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }
}

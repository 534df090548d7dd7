package io.controllermanager.informer.internal;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that follows a script: one answer after the other for lists, for watches and for WatchLists. Where the script
 * ends, it says nothing more.
 */
final class ScriptedServer implements AutoCloseable {

    private static final InformerOptions OPTIONS = InformerOptions.DEFAULTS.withWatchListFirst(true);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private final CountDownLatch proceed = new CountDownLatch(1);
    private final Queue<Answer> lists = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> watches = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> watchLists = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ApiConnection connection;
    private final InformerFactory factory;
    private volatile boolean answersForVersions = true;

    /** What becomes of a request. */
    @FunctionalInterface
    interface Answer {
        void send(HttpExchange exchange) throws IOException;
    }

    ScriptedServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        connection =
                ApiConnection.builder(Clock.system(), timer).metrics(registry).build();
        connection.connect(new ApiAccessResolver(Map.of(), Clock.system())
                .resolve(null, "http://127.0.0.1:" + server.getAddress().getPort()));
        factory = new InformerFactory(connection, Clock.system(), timer, OPTIONS);
    }

    /** Lists of one object are in the script too. Otherwise they are answered without it. */
    ScriptedServer withQuestionsInTheScript() {
        answersForVersions = false;
        return this;
    }

    /** Informers of this server. */
    InformerFactory informers() {
        return factory;
    }

    /** Informers of this server that live in virtual time, to be closed by the test. */
    InformerFactory informers(VirtualTime time) {
        return informers(time, OPTIONS);
    }

    /** The same with other options. */
    InformerFactory informers(VirtualTime time, InformerOptions options) {
        return new InformerFactory(connection, time, time, options);
    }

    PrometheusMeterRegistry registry() {
        return registry;
    }

    void lists(Answer... answers) {
        lists.addAll(List.of(answers));
    }

    void watches(Answer... answers) {
        watches.addAll(List.of(answers));
    }

    void watchLists(Answer... answers) {
        watchLists.addAll(List.of(answers));
    }

    /** What was asked for, each request with its kind before it. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    static String kind(String request) {
        return request.substring(0, request.indexOf(' '));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String uri = exchange.getRequestURI().toString();
            if (uri.equals("/readyz")) {
                text(200, "ok").send(exchange);
                return;
            }
            if (answersForVersions && uri.matches(".*[?&]limit=1(&.*)?")) {
                // After each watch that ends before its time: no script is so long.
                text(200, "{\"metadata\":{\"resourceVersion\":\"1000000\"},\"items\":[]}")
                        .send(exchange);
                return;
            }
            boolean watch = uri.contains("watch=true");
            boolean watchList = uri.contains("sendInitialEvents=true");
            requests.add((watchList ? "watch-list " : watch ? "watch " : "list ")
                    + uri.replaceAll("timeoutSeconds=\\d+", "timeoutSeconds=T"));
            Answer next = (watchList ? watchLists : watch ? watches : lists).poll();
            (next == null ? open() : next).send(exchange);
        }
    }

    private static Answer text(int code, String body) {
        return exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(code, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    static Answer status(int code, String message) {
        return text(
                code, "{\"kind\":\"Status\",\"code\":%d,\"reason\":\"R\",\"message\":\"%s\"}".formatted(code, message));
    }

    /** 200 with any text. */
    static Answer body(String text) {
        return text(200, text);
    }

    /** 429. */
    static Answer turnedAway(int seconds) {
        return exchange -> {
            exchange.getResponseHeaders().add("Retry-After", Integer.toString(seconds));
            status(429, "later").send(exchange);
        };
    }

    static Answer list(int version, String... objects) {
        return text(200, """
                {"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}""".formatted(version, String.join(",", objects)));
    }

    /** Lines, then the regular end. */
    static Answer lines(String... lines) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            write(exchange.getResponseBody(), lines);
        };
    }

    /** Lines, then nothing more, with the connection open. */
    Answer open(String... lines) {
        return openThen(lines);
    }

    /** Lines, more of them at {@link #proceed}, and then nothing more. */
    Answer openThen(String[] lines, String... more) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            write(exchange.getResponseBody(), lines);
            if (more.length > 0) {
                until(proceed);
                write(exchange.getResponseBody(), more);
            }
            until(end);
        };
    }

    /** No answer at all. */
    Answer hang() {
        return exchange -> until(end);
    }

    void proceed() {
        proceed.countDown();
    }

    private static void write(OutputStream body, String... lines) throws IOException {
        for (String line : lines) {
            body.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        body.flush();
    }

    private static void until(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static String object(String name, int version) {
        return """
                {"metadata":{"name":"%s","namespace":"n","uid":"uid-%s","resourceVersion":"%d"},"data":{"k":"v%d"}}""".formatted(name, name, version, version);
    }

    static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    static String added(String name, int version) {
        return event("ADDED", object(name, version));
    }

    /** The bookmark at the end of the initial state. */
    static String end(int version) {
        return event(
                "BOOKMARK",
                "{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"%d\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"
                        .formatted(version));
    }

    static String gone() {
        return event("ERROR", "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}");
    }

    @Override
    public void close() {
        end.countDown();
        proceed.countDown();
        factory.close();
        connection.close();
        timer.close();
        server.stop(0);
        threads.shutdownNow();
    }
}

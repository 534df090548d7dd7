package io.controllermanager.webhook.internal.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.webhook.internal.certificate.TestCertificates;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import okhttp3.Call;
import okhttp3.CipherSuite;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The server as the API server meets it. */
class WebhookServerTest {

    private static final MediaType JSON = MediaType.get("application/json");

    private final SystemTimer timer = new SystemTimer("test-timer");
    private final TestCertificates certificates = new TestCertificates();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Answers answers = new Answers();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final AtomicInteger reading = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);
    private final Set<Integer> used = ConcurrentHashMap.newKeySet();
    private @Nullable WebhookServer server;

    /** Does as the body says. */
    private final class Answers implements WebhookHandler {

        @Override
        public Set<String> paths() {
            return Set.of("/convert", "/validate/a");
        }

        @Override
        public byte[] answer(String path, InputStream body) throws BadRequestException, InterruptedException {
            String said;
            try {
                byte[] bytes = body.readAllBytes();
                said = new String(bytes, 0, Math.min(20, bytes.length), StandardCharsets.UTF_8).strip();
            } catch (IOException e) {
                throw new BadRequestException("the body cannot be read");
            }
            switch (said) {
                case "bad" -> throw new BadRequestException("This is no review.");
                case "failing" -> throw new IllegalStateException("the bean fails");
                case "wait" -> {
                    reading.incrementAndGet();
                    asked.countDown();
                    released.await();
                }
                default -> {}
            }
            return "{}".getBytes(StandardCharsets.UTF_8);
        }
    }

    private WebhookServer start(ServerSettings settings) {
        WebhookServer started = new WebhookServer(settings, answers, Clock.system(), timer, registry);
        started.start();
        started.use(certificates.leaf());
        server = started;
        return started;
    }

    private WebhookServer start() {
        return start(new ServerSettings(0, null, Set.of(), Duration.ZERO));
    }

    @AfterEach
    void close() {
        released.countDown();
        if (server != null) {
            server.close();
        }
        timer.close();
    }

    private OkHttpClient client(Protocol protocol) {
        return certificates
                .trusting()
                .protocols(protocol == Protocol.HTTP_2 ? List.of(protocol, Protocol.HTTP_1_1) : List.of(protocol))
                .retryOnConnectionFailure(false)
                .eventListener(new EventListener() {
                    @Override
                    public void connectionAcquired(Call call, Connection connection) {
                        used.add(System.identityHashCode(connection));
                    }
                })
                .build();
    }

    private Request.Builder request(String path) {
        assertThat(server).isNotNull();
        return new Request.Builder().url("https://localhost:" + server.port() + path);
    }

    private Request post(String path, String body) {
        return request(path)
                .post(RequestBody.create(body.getBytes(StandardCharsets.UTF_8), JSON))
                .build();
    }

    private record Got(int code, String body, Protocol protocol, boolean closes) {}

    private static Got send(OkHttpClient client, Request request) throws IOException {
        try (Response response = client.newCall(request).execute()) {
            return new Got(
                    response.code(),
                    response.body().string().strip(),
                    response.protocol(),
                    "close".equalsIgnoreCase(response.header("Connection")));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void manyRequestsTakeOneConnection(Protocol protocol) throws IOException {
        WebhookServer started = start();
        OkHttpClient client = client(protocol);

        for (int i = 0; i < 150; i++) {
            assertThat(send(client, post("/convert", "{}"))).isEqualTo(new Got(200, "{}", protocol, false));
        }

        assertThat(used).hasSize(1);
        assertThat(started.faults()).isEmpty();
        assertThat(registry.get("controller.runtime.webhook.requests")
                        .tags("webhook", "/convert", "code", "200")
                        .counter()
                        .count())
                .isEqualTo(150);
        assertThat(registry.get("controller.runtime.webhook.latency")
                        .tag("webhook", "/convert")
                        .timer()
                        .count())
                .isEqualTo(150);
        assertThat(registry.get("controller.runtime.webhook.requests.in.flight")
                        .tag("webhook", "/convert")
                        .gauge()
                        .value())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST|/nothing        |application/json|{}     |404|There is no webhook at this path.",
                "POST|/               |application/json|{}     |404|There is no webhook at this path.",
                "POST|/convert/more   |application/json|{}     |404|There is no webhook at this path.",
                "PUT |/convert        |application/json|{}     |405|Webhooks are asked by POST, not by PUT.",
                "POST|/convert        |application/yaml|{}     |415|Webhooks are asked in application/json, not in application/yaml.",
                "POST|/convert        |application/json|bad    |400|This is no review.",
                "POST|/convert        |application/json|failing|500|the bean fails",
                "POST|/convert?timeout=soon|application/json|{}|400|The timeout must be a duration such as 10s.",
                "POST|/convert?timeout=10s |application/json; charset=utf-8|{}|200|{}",
            })
    void refusesWhatItCannotAnswer(String method, String path, String type, String body, int code, String sentence)
            throws IOException {
        start();
        RequestBody sent = RequestBody.create(body.getBytes(StandardCharsets.UTF_8), MediaType.get(type));

        Got got = send(
                client(Protocol.HTTP_1_1), request(path).method(method, sent).build());

        assertThat(got.code).isEqualTo(code);
        assertThat(got.body).isEqualTo(sentence);
    }

    @Test
    void readsByGetAreRefused() throws IOException {
        start();

        assertThat(send(client(Protocol.HTTP_2), request("/convert").build()).code)
                .isEqualTo(405);
    }

    /** A body whose length is told, or not. */
    private static RequestBody body(long length, boolean told) {
        return new RequestBody() {
            @Override
            public MediaType contentType() {
                return JSON;
            }

            @Override
            public long contentLength() {
                return told ? length : -1;
            }

            @Override
            public void writeTo(okio.BufferedSink sink) throws IOException {
                byte[] block = new byte[1 << 16];
                for (long left = length; left > 0; left -= block.length) {
                    sink.write(block, 0, (int) Math.min(left, block.length));
                }
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"/validate/a, true", "/validate/a, false", "/convert, true"})
    void takesWhatAnApiServerCanSendAndNoMore(String path, boolean told) throws IOException {
        start();
        long limit = path.equals("/convert") ? 32L << 20 : 7L << 20;
        OkHttpClient client = client(Protocol.HTTP_2);

        assertThat(send(client, request(path).post(body(limit, told)).build()).code)
                .isEqualTo(200);
        Got got = send(client, request(path).post(body(limit + 1, told)).build());

        assertThat(got.code).isEqualTo(413);
        assertThat(got.body).isEqualTo("The body has more than the " + limit + " bytes that are taken.");
    }

    @Test
    void aHandlerIsInterruptedWhenTheTimeIsOver() throws IOException {
        start();

        Got got = send(client(Protocol.HTTP_1_1), post("/convert?timeout=0.05s", "wait"));

        assertThat(got.code).isEqualTo(504);
        assertThat(got.body).isEqualTo("The webhook has not answered within 50 ms.");
        assertThat(send(client(Protocol.HTTP_1_1), post("/convert?timeout=0.05s", "{}")).code)
                .isEqualTo(200);
    }

    /** It takes a thread until its time is over, and no longer. */
    @ParameterizedTest
    @CsvSource({"/convert?timeout=0.05s, 504", "/nothing, 404"})
    void aBodyThatDripsIsNotWaitedFor(String path, int code) throws Exception {
        start();
        AtomicBoolean over = new AtomicBoolean();
        try (SSLSocket socket = certificates.connect(server.port())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            + "Content-Length: 1000000\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            Thread drips = new Thread(() -> drip(out, over), "drips");
            drips.start();

            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.readLine()).startsWith("HTTP/1.1 " + code);
            assertThat(ends(in)).isTrue();
            over.set(true);
            drips.join();
        }
    }

    private static void drip(OutputStream out, AtomicBoolean over) {
        try {
            while (!over.get()) {
                out.write('{');
                out.flush();
                LockSupport.parkNanos(5_000_000);
            }
        } catch (IOException e) {
            // The server has ended it.
        }
    }

    private static boolean ends(BufferedReader in) {
        try {
            return in.lines().count() >= 0;
        } catch (UncheckedIOException e) {
            return !(e.getCause() instanceof SocketTimeoutException);
        }
    }

    @Test
    void largeBodiesWaitForEachOther() throws Exception {
        start();
        OkHttpClient client = client(Protocol.HTTP_1_1);
        String large = "wait" + " ".repeat((int) WebhookServlet.LARGE);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<Got>> waiting = new ArrayList<>();
        for (int i = 0; i < WebhookServlet.LARGE_AT_ONCE; i++) {
            waiting.add(threads.submit(() -> send(client, post("/convert", large))));
        }
        await().until(() -> reading.get() == WebhookServlet.LARGE_AT_ONCE);

        assertThat(send(client, post("/convert?timeout=0.05s", large)).code).isEqualTo(504);
        assertThat(reading).hasValue(WebhookServlet.LARGE_AT_ONCE);
        assertThat(send(client, post("/convert", "{}")).code).isEqualTo(200);
        released.countDown();

        for (Future<Got> each : waiting) {
            assertThat(each.get().code).isEqualTo(200);
        }
        assertThat(send(client, post("/convert", large)).code).isEqualTo(200);
        threads.shutdown();
    }

    @ParameterizedTest
    @CsvSource({"10s, 10000", "1.5s, 1500", "1m0s, 30000", "2562047h, 30000"})
    void timeLimitsAreAsGoWritesThem(String text, long millis) {
        assertThat(WebhookServlet.timeLimit(text)).hasMillis(millis);
    }

    /** A connection that is open goes on, a new one is shown the new leaf, and no call fails. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void anotherLeafIsTakenUnderLoad(Protocol protocol) throws Exception {
        start();
        OkHttpClient kept = client(protocol);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService load = Executors.newFixedThreadPool(4);
        List<Future<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean fresh = i % 2 == 0;
            calls.add(load.submit(() -> {
                int count = 0;
                while (!over.get()) {
                    // Some connect each time.
                    assertThat(send(fresh ? client(protocol) : kept, post("/convert", "{}")).code)
                            .isEqualTo(200);
                    count++;
                }
                return count;
            }));
        }
        for (int i = 0; i < 8; i++) {
            server.use(certificates.leaf());
            var shown = certificates.shown(server.port());
            assertThat(shown).isEqualTo(certificates.last().certificate());
        }
        over.set(true);

        for (Future<Integer> each : calls) {
            assertThat(each.get()).isPositive();
        }
        load.shutdown();
    }

    @Test
    void theCipherIsOneThatIsQuickWithoutTheProcessorsHelp() throws IOException {
        start();

        try (Response response =
                client(Protocol.HTTP_1_1).newCall(post("/convert", "{}")).execute()) {
            assertThat(response.handshake().cipherSuite()).isEqualTo(CipherSuite.TLS_CHACHA20_POLY1305_SHA256);
        }
    }

    @Test
    void withoutACertificateItIsNotReady() throws IOException {
        WebhookServer bare = new WebhookServer(
                new ServerSettings(0, null, Set.of(), Duration.ZERO), answers, Clock.system(), timer, registry);
        bare.start();
        server = bare;
        assertThat(bare.faults()).containsExactly("the webhooks' server has no certificate yet");
        assertThatThrownBy(() -> send(client(Protocol.HTTP_1_1), post("/convert", "{}")))
                .isInstanceOf(SSLException.class);

        bare.use(certificates.leaf());

        assertThat(bare.faults()).isEmpty();
        assertThat(send(client(Protocol.HTTP_1_1), post("/convert", "{}")).code).isEqualTo(200);
    }

    @Test
    void aTakenPortIsAnError() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            assertThatThrownBy(() -> start(new ServerSettings(other.getLocalPort(), null, Set.of(), Duration.ZERO)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("port " + other.getLocalPort() + " of webhooks cannot be listened on")
                    .hasMessageContaining("already in use");
        }
    }

    @Test
    void clientsNeedACertificateWhereAnAuthorityIsConfigured(@TempDir Path folder) throws IOException {
        Path authority = Files.writeString(folder.resolve("ca.crt"), certificates.authorityPem());
        start(new ServerSettings(0, authority, Set.of("kube-apiserver"), Duration.ZERO));

        OkHttpClient anonymous = client(Protocol.HTTP_1_1);
        OkHttpClient stranger = certificates.trustingAs("stranger").build();
        OkHttpClient own = certificates.trustingAs("kube-apiserver").build();
        OkHttpClient foreign = new TestCertificates()
                .trustingAs("kube-apiserver", certificates)
                .build();

        for (OkHttpClient refused : List.of(anonymous, foreign)) {
            assertThatThrownBy(() -> send(refused, post("/convert", "{}"))).isInstanceOf(IOException.class);
        }
        Got nameless = send(
                certificates.trustingWith("OU=kube-apiserver", certificates).build(), post("/convert", "{}"));
        assertThat(nameless.code).isEqualTo(403);
        Got strange = send(stranger, post("/convert", "{}"));
        assertThat(strange.code).isEqualTo(403);
        assertThat(strange.body).isEqualTo("The certificate of \"stranger\" may not ask here.");
        assertThat(send(own, post("/convert", "{}")).code).isEqualTo(200);
    }

    @Test
    void anotherAuthorityOfClientsIsTakenAndWhatIsOfNoUseIsNot(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("ca.crt"), certificates.authorityPem());
        VirtualTime time = new VirtualTime();
        WebhookServer started =
                new WebhookServer(new ServerSettings(0, file, Set.of(), Duration.ZERO), answers, time, time, registry);
        server = started;
        started.start();
        started.use(certificates.leaf());
        TestCertificates others = new TestCertificates();
        // Each client connects anew.
        assertThatThrownBy(() -> send(others.trustingAs("a", certificates).build(), post("/convert", "{}")))
                .isInstanceOf(IOException.class);

        Files.writeString(file, certificates.authorityPem() + others.authorityPem());
        time.advance(Duration.ofSeconds(5));

        assertThat(send(others.trustingAs("a", certificates).build(), post("/convert", "{}")).code)
                .isEqualTo(200);

        Files.writeString(file, "garbage");
        time.advance(Duration.ofSeconds(5));

        assertThat(send(others.trustingAs("a", certificates).build(), post("/convert", "{}")).code)
                .isEqualTo(200);
        assertThat(send(certificates.trustingAs("a").build(), post("/convert", "{}")).code)
                .isEqualTo(200);
    }

    /** Told to stop, it answers what runs and what comes, and tells each client to connect elsewhere. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void aStopFailsNoRequest(Protocol protocol) throws Exception {
        WebhookServer started = start(new ServerSettings(0, null, Set.of(), Duration.ofMillis(300)));
        int port = started.port();
        OkHttpClient client = client(protocol);
        ExecutorService threads = Executors.newCachedThreadPool();
        Future<Got> waiting = threads.submit(() -> send(client, post("/convert", "wait")));
        asked.await();
        Future<?> stop = threads.submit(started::close);
        await().until(() -> !started.faults().isEmpty());

        assertThat(started.faults()).containsExactly("the webhooks' server stops");
        Got during = send(client(protocol), post("/convert", "{}"));
        assertThat(during.code).isEqualTo(200);
        assertThat(during.closes).isEqualTo(protocol == Protocol.HTTP_1_1);
        // The stop outlasts the grace.
        await().until(() -> !accepts(port));
        assertThat(stop.isDone()).isFalse();
        released.countDown();

        assertThat(waiting.get().code).isEqualTo(200);
        stop.get();
        threads.shutdown();
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket("localhost", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}

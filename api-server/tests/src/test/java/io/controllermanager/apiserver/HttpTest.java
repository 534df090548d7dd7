package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.HttpFrontend;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests as bytes: no client stands between. */
class HttpTest {

    private static final Handler ECHO = request -> new Response.Document(
            200,
            (request.method() + request.path() + new String(request.body(), StandardCharsets.UTF_8))
                    .getBytes(StandardCharsets.UTF_8),
            "text/plain",
            List.of());

    /** Sends bytes; gives what comes until the connection ends. */
    private static String exchange(Handler handler, String... parts) throws IOException {
        try (HttpFrontend frontend = new HttpFrontend(0, null, Clock.systemUTC(), handler);
                Socket socket = connect(frontend)) {
            for (String part : parts) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.UTF_8));
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Socket connect(HttpFrontend frontend) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), frontend.url().getPort());
        socket.setSoTimeout((int) Waiting.LIMIT.toMillis());
        return socket;
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    }

    @Test
    void answersAnErrorOfTheJvmWith500() throws IOException {
        String answer = exchange(
                request -> {
                    throw new StackOverflowError("too deep");
                },
                get("/"));
        assertThat(answer).startsWith("HTTP/1.1 500 ").contains("InternalError", "too deep");
    }

    @Test
    void cutsAStreamThatFails() throws IOException {
        String answer = exchange(
                request -> new Response.Stream("text/plain", sink -> {
                    sink.send("first".getBytes(StandardCharsets.UTF_8), false);
                    sink.flush();
                    throw new StackOverflowError("too deep");
                }),
                get("/"));
        assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("5\r\nfirst\r\n");
    }

    /** Many times, since it depends on the moment what Netty closes by itself. */
    @Test
    void cutsItsConnectionsWhenItIsClosed() throws IOException {
        for (int i = 0; i < 100; i++) {
            HttpFrontend frontend = new HttpFrontend(0, null, Clock.systemUTC(), ECHO);
            try (frontend;
                    Socket socket = connect(frontend)) {
                socket.getOutputStream()
                        .write(get("/").replace("close", "keep-alive").getBytes(StandardCharsets.UTF_8));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                frontend.close();
                assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
            }
        }
    }

    @Test
    void answersAClientThatSendsNoMore() throws IOException {
        try (HttpFrontend frontend = new HttpFrontend(0, null, Clock.systemUTC(), ECHO);
                Socket socket = connect(frontend)) {
            socket.getOutputStream()
                    .write(get("/a").replace("close", "keep-alive").getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("GET[a]");
        }
    }

    @Test
    void answersHeadWithoutABody() throws IOException {
        assertThat(exchange(ECHO, get("/a").replace("GET", "HEAD")))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/default/configmaps/..",
                "/api/./v1",
                "/api/v1/namespaces/%2E%2e/configmaps",
            })
    void refusesPathsThatLeadElsewhere(String path) throws IOException {
        assertThat(exchange(ECHO, get(path))).startsWith("HTTP/1.1 400 ").contains("\"reason\":\"BadRequest\"");
    }

    @Test
    void takesDotsInNames() throws IOException {
        assertThat(exchange(ECHO, get("/a/b.c/..d"))).contains("GET[a, b.c, ..d]");
    }

    @Test
    void answersRequestsInTheirOrder() throws IOException {
        List<String> paths = IntStream.range(0, 50).mapToObj(i -> "/" + i).toList();
        String requests = paths.stream()
                .map(path -> get(path).replace("close", "keep-alive"))
                .collect(Collectors.joining());
        assertThat(exchange(ECHO, requests + get("/last")))
                .containsSubsequence(paths.stream()
                        .map(path -> "GET[" + path.substring(1) + "]")
                        .toList())
                .endsWith("GET[last]");
    }

    @Test
    void goesOnAfterABodyThatIsTooLarge() throws IOException {
        int size = 3 * 1024 * 1024 + 1;
        String post = "POST /large HTTP/1.1\r\nHost: localhost\r\n";
        assertThat(exchange(ECHO, post + "Content-Length: " + size + "\r\n\r\n", "x".repeat(size), get("/next")))
                .startsWith("HTTP/1.1 413 ")
                .contains("Request entity too large: limit is 3145728")
                .endsWith("GET[next]");
        String chunk = Integer.toHexString(size) + "\r\n" + "x".repeat(size) + "\r\n0\r\n\r\n";
        assertThat(exchange(ECHO, post + "Transfer-Encoding: chunked\r\n\r\n", chunk, get("/next")))
                .startsWith("HTTP/1.1 413 ")
                .endsWith("GET[next]");
    }

    @Test
    void tellsAClientThatAsksToGoOn() throws IOException {
        String post =
                get("/a").replace("GET", "POST").replace("Host:", "Expect: 100-continue\r\nContent-Length: 2\r\nHost:");
        assertThat(exchange(ECHO, post, "bc")).startsWith("HTTP/1.1 100 ").endsWith("POST[a]bc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "GET / HTTP/1.1\r\n: x\r\n\r\n",
                "GET http://elsewhere/ HTTP/1.1\r\nConnection: close\r\n\r\n",
            })
    void refusesWhatIsNoRequest(String bytes) throws IOException {
        assertThat(exchange(ECHO, bytes)).startsWith("HTTP/1.1 400 ").contains("\"reason\":\"BadRequest\"");
    }

    @Test
    void sendsWarningsInUtf8() throws IOException {
        Handler warning = request ->
                new Response.Document(200, new byte[0], "text/plain", List.of("gr\u00fc\u00df \"Gott\"", "no\nheader"));
        assertThat(exchange(warning, get("/")))
                .containsIgnoringCase("Warning: 299 - \"gr\u00fc\u00df \\\"Gott\\\"\"\r\n")
                .doesNotContain("no\nheader");
    }

    /** Nobody waits for what will not come: the answer is as if no other protocol had been asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"SPDY/3.1", "websocket", "h2c"})
    void answersARequestForAnotherProtocolAtOnce(String protocol) throws IOException {
        assertThat(exchange(ECHO, get("/exec").replace("close", "Upgrade, close\r\nUpgrade: " + protocol)))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("GET[exec]");
    }
}

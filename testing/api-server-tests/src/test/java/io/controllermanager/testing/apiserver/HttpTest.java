package io.controllermanager.testing.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.apiserver.http.Handler;
import io.controllermanager.testing.apiserver.http.HttpFrontend;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
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
        try (HttpFrontend frontend = HttpFrontend.start(0, Clock.systemUTC(), handler);
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), frontend.url().getPort())) {
            socket.setSoTimeout((int) Waiting.LIMIT.toMillis());
            for (String part : parts) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.UTF_8));
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
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
}

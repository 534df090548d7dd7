package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.testing.support.Command;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** client-go against the server: its informer through a cut watch and a compaction, and its typed clients. */
@Tag("control-plane")
class ClientGoTest {

    /** Over HTTP/1.1, and with TLS over HTTP/2. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void worksAsItComes(boolean tls) throws IOException {
        HttpServer control = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (ApiServer server = ApiServer.builder().tls(tls).start()) {
            CompletableFuture<List<Fault>> refusals = new CompletableFuture<>();
            on(
                    control,
                    "/refuse",
                    // Lists too: a slow machine has not made all changes when the informer asks again.
                    () -> refusals.complete(Stream.of(
                                    RequestMatcher.list("configmaps"), RequestMatcher.watch("configmaps"))
                            .map(requests -> server.faults().when(requests).respond(500))
                            .toList()));
            on(
                    control,
                    "/await-refusal",
                    () -> await().until(() -> refusals.join().stream().anyMatch(refusal -> refusal.hits() > 0)));
            on(control, "/compact", server::compact);
            on(control, "/admit", () -> refusals.join().forEach(Fault::remove));
            control.start();
            Matcher authority =
                    Pattern.compile("certificate-authority-data: (.*)").matcher(server.kubeconfig());
            assertThat(authority.find()).isEqualTo(tls);
            String output = Command.go(
                    Path.of("client-go"),
                    Map.of(
                            "API_SERVER",
                            server.url().toString(),
                            "AUTHORITY",
                            tls ? authority.group(1) : "",
                            "CONTROL",
                            "http://127.0.0.1:" + control.getAddress().getPort() + "/",
                            "LIMIT",
                            Waiting.LIMIT.toSeconds() + "s"),
                    "test",
                    "-count=1",
                    "./...");
            assertThat(output).contains("ok");
            assertThat(refusals).isCompleted();
        } finally {
            control.stop(0);
        }
    }

    private static void on(HttpServer control, String path, Runnable action) {
        control.createContext(path, exchange -> {
            action.run();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
    }
}

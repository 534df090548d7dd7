package io.controllermanager.testing.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.controllermanager.testing.apiserver.faults.Fault;
import io.controllermanager.testing.apiserver.faults.RequestMatcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** client-go against the server: its informer through a cut watch and a compaction, and its typed clients. */
class ClientGoTest {

    @Test
    void worksAsItComes() throws IOException {
        HttpServer control = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (ApiServer server = ApiServer.start()) {
            Fault cut = server.faults()
                    .when(RequestMatcher.watch("configmaps"))
                    .times(1)
                    .closeAfterEvents(250);
            control.createContext("/", exchange -> {
                server.compact();
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            control.start();
            String compact = "http://127.0.0.1:" + control.getAddress().getPort() + "/";
            String output = Command.run(
                    Path.of("client-go"),
                    Map.of("API_SERVER", server.url().toString(), "COMPACT", compact),
                    "",
                    "go",
                    "test",
                    "-count=1",
                    "./...");
            assertThat(output).contains("ok");
            assertThat(cut.hits()).isEqualTo(1);
        } finally {
            control.stop(0);
        }
    }
}

package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.apiserver.watch.Watch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of watches whose clients or whose server end. */
class LifetimeTest {

    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=1";

    private static Socket watch(ApiServer server, String path) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(1 << 12);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), server.url().getPort()));
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        // The first letter of the answer.
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        return socket;
    }

    private static List<Map.Entry<Thread, StackTraceElement[]>> threads(ApiServer server) {
        String name = "api-server-" + server.url().getPort() + "-";
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith(name))
                .toList();
    }

    private static long watching(ApiServer server) {
        return threads(server).stream()
                .filter(thread -> Arrays.stream(thread.getValue())
                        .anyMatch(frame -> frame.getClassName().equals(Watch.class.getName())))
                .count();
    }

    private static void create(CoreV1Api api, int number, String data) throws ApiException {
        api.createNamespacedConfigMap(
                        "default",
                        new V1ConfigMap()
                                .metadata(new V1ObjectMeta().name("c" + number))
                                .data(Map.of("key", data)))
                .execute();
    }

    /** Our informer takes silence of 25 seconds over HTTP/1.1 for a dead connection, and opens its watch again. */
    @Test
    void sendsBookmarksBeforeAnInformerTakesAWatchForDead() throws Exception {
        Duration interval = ApiServer.builder().bookmarkInterval;
        assertThat(interval).isLessThan(Duration.ofSeconds(25));
        assertThat(EmbeddedApiServer.class.getMethod("bookmarkIntervalMillis").getDefaultValue())
                .isEqualTo(interval.toMillis());
    }

    @Test
    void noticesAVanishedWatcherByItsBookmarks() throws IOException {
        try (ApiServer server =
                ApiServer.builder().bookmarkInterval(Duration.ofMillis(20)).start()) {
            Socket socket = watch(server, CONFIG_MAPS + "&allowWatchBookmarks=true");
            await().until(() -> watching(server) == 1);
            socket.close();
            await().until(() -> watching(server) == 0);
        }
    }

    @Test
    void noticesAVanishedWatcherByTheNextEvents() throws Exception {
        try (ApiServer server = ApiServer.start()) {
            CoreV1Api api = new CoreV1Api(server.client());
            Socket socket = watch(server, CONFIG_MAPS);
            await().until(() -> watching(server) == 1);
            socket.close();
            for (int i = 0; i < 1000 && watching(server) > 0; i++) {
                create(api, i, "");
            }
            await().until(() -> watching(server) == 0);
        }
    }

    @Test
    void keepsNothingForAWatcherThatDoesNotReadButWhatHistoryHas() throws Exception {
        try (ApiServer server = ApiServer.builder().history(50).start()) {
            CoreV1Api api = new CoreV1Api(server.client());
            try (Socket socket = watch(server, CONFIG_MAPS)) {
                String data = "x".repeat(100_000);
                for (int i = 0; i < 150; i++) {
                    create(api, i, data);
                }
                // More than sockets hold was written: some of it history has forgotten before it was sent.
                InputStream in = socket.getInputStream();
                StringBuilder end = new StringBuilder();
                byte[] buffer = new byte[1 << 16];
                while (end.indexOf("\"type\":\"ERROR\"") < 0) {
                    int read = in.read(buffer);
                    assertThat(read).isPositive();
                    end.append(new String(buffer, 0, read, StandardCharsets.US_ASCII));
                    end.delete(0, Math.max(0, end.length() - 2000));
                }
                await().until(() -> watching(server) == 0);
            }
        }
    }

    @Test
    void endsItsThreadsWhenItIsClosed() throws Exception {
        ApiServer closed;
        List<Socket> sockets = new ArrayList<>();
        try (ApiServer server = ApiServer.start()) {
            closed = server;
            CoreV1Api api = new CoreV1Api(server.client());
            sockets.add(watch(server, CONFIG_MAPS));
            sockets.add(watch(server, CONFIG_MAPS));
            // More than sockets hold, so that the writers of both are stuck.
            for (int i = 0; i < 100; i++) {
                create(api, i, "x".repeat(100_000));
            }
            assertThat(watching(server)).isEqualTo(2);
        }
        await().until(() -> threads(closed).isEmpty());
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

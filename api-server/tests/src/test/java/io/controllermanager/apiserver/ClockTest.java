package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockTest {

    @Test
    void tellsAgesByItsClock() throws IOException, InterruptedException {
        AtomicLong now = new AtomicLong();
        try (ApiServer server = ApiServer.builder()
                .clock(() -> Instant.ofEpochSecond(now.get()))
                .start()) {
            String name = server.createNamespace("aged");
            now.set(300);
            HttpResponse<String> table = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(server.url().resolve("/api/v1/namespaces/" + name))
                                    .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(table.body()).contains("\"Active\",\"5m\"]");
        }
    }
}

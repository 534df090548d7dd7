package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** CRDs that many write to at once. */
class DefinitionsTest {

    private static final int WRITERS = 8;
    private static final int ROUNDS = 100;
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ApiServer server = ApiServer.start();
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);

    @AfterEach
    void close() {
        threads.shutdownNow();
        server.close();
    }

    private JsonNode send(String method, String path, String body) {
        String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Content-Type", type)
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
            return new ObjectMapper().readTree(response.body());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void servesWhatTheLastOfConcurrentUpdatesSays() {
        send("POST", CRDS, """
                {'metadata':{'name':'things.example.com'},
                 'spec':{'group':'example.com','scope':'Cluster','names':{'plural':'things','kind':'Thing'},'versions':[
                  {'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object'}}}]}}""");
        String crd = CRDS + "/things.example.com";
        for (int round = 0; round < ROUNDS; round++) {
            String prefix = "t" + round + "x";
            List<CompletableFuture<JsonNode>> updates = IntStream.range(0, WRITERS)
                    .mapToObj(i -> "{'spec':{'names':{'shortNames':['" + prefix + i + "']}}}")
                    .map(patch -> CompletableFuture.supplyAsync(() -> send("PATCH", crd, patch), threads))
                    .toList();
            updates.forEach(CompletableFuture::join);
            JsonNode served = send("GET", "/apis/example.com/v1", "").at("/resources/0/shortNames");
            assertThat(served).isEqualTo(send("GET", crd, "").at("/spec/names/shortNames"));
        }
    }
}

package io.controllermanager.apiserver.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.apiserver.ApiServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** A server with a world and a clock that the test moves. JSON is written with single quotes. */
final class MovingCluster implements AutoCloseable {

    static final String APPS = "/apis/apps/v1/namespaces/default/";
    static final String BATCH = "/apis/batch/v1/namespaces/default/";
    static final String CORE = "/api/v1/namespaces/default/";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private volatile Instant now = Instant.parse("2026-01-01T00:00:30Z");
    final ApiServer server = ApiServer.builder().world(true).clock(() -> now).start();
    private final OkHttpClient http = server.client().getHttpClient();

    /** Moves the clock; what is due comes with the next request. */
    void advance(Duration time) {
        now = now.plus(time);
    }

    JsonNode create(String collection, String json) {
        return send("POST", collection, "application/json", json);
    }

    JsonNode patch(String path, String json) {
        return send("PATCH", path, "application/merge-patch+json", json);
    }

    JsonNode delete(String path) {
        return send("DELETE", path, "", "");
    }

    JsonNode get(String path) {
        return send("GET", path, "", "");
    }

    JsonNode status(String path) {
        return get(path).path("status");
    }

    /** The items of a list that have a label or other text at a path, one for each. */
    List<String> each(String collection, String pointer) {
        List<String> texts = new ArrayList<>();
        get(collection).path("items").forEach(item -> texts.add(item.at(pointer).asText()));
        return texts;
    }

    List<String> names(String collection) {
        return each(collection, "/metadata/name");
    }

    /** A condition of an object, as {@code status reason}. */
    String condition(String path, String type) {
        for (JsonNode condition : status(path).path("conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return (condition.path("status").asText() + " "
                                + condition.path("reason").asText())
                        .strip();
            }
        }
        return "";
    }

    /** The template of a workload, whose image may differ. */
    static String template(String image) {
        return "'selector': {'matchLabels': {'app': 'web'}}, 'template': {'metadata': {'labels': {'app': 'web'}},"
                + " 'spec': {'containers': [{'name': 'main', 'image': '" + image + "'}]}}";
    }

    static String workload(String kind, String spec) {
        return "{'apiVersion': 'apps/v1', 'kind': '" + kind + "', 'metadata': {'name': 'web'}, 'spec': {" + spec + "}}";
    }

    /** A merge patch to another image. */
    static String image(String image) {
        return "{'spec': {'template': {'spec': {'containers': [{'name': 'main', 'image': '" + image + "'}]}}}}";
    }

    JsonNode send(String method, String path, String type, String json) {
        RequestBody body = json.isEmpty() ? null : RequestBody.create(json.replace('\'', '"'), MediaType.parse(type));
        Request request = new Request.Builder()
                .url(server.url() + path)
                .method(method, body)
                .build();
        try (Response response = http.newCall(request).execute()) {
            JsonNode answer = MAPPER.readTree(response.body().bytes());
            if (!response.isSuccessful() && response.code() != 404) {
                throw new AssertionError(method + " " + path + ": " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

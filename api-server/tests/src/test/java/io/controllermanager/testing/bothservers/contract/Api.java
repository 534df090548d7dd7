package io.controllermanager.testing.bothservers.contract;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Plain HTTP to a server, so that nothing of what it says gets lost in a client. */
final class Api {

    static final String JSON = "application/json";
    static final String JSON_PATCH = "application/json-patch+json";
    static final String MERGE_PATCH = "application/merge-patch+json";
    static final String STRATEGIC_PATCH = "application/strategic-merge-patch+json";
    static final String APPLY_PATCH = "application/apply-patch+yaml";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final OkHttpClient http;
    private final String base;

    Api(ApiClient client) {
        http = client.getHttpClient();
        base = client.getBasePath();
    }

    private Api(OkHttpClient http, String base) {
        this.http = http;
        this.base = base;
    }

    /** The same, with headers in each request: names and values in turn. */
    Api with(String... headers) {
        OkHttpClient changed = http.newBuilder()
                .addInterceptor(chain -> {
                    Request.Builder request = chain.request().newBuilder();
                    for (int i = 0; i < headers.length; i += 2) {
                        request.addHeader(headers[i], headers[i + 1]);
                    }
                    return chain.proceed(request.build());
                })
                .build();
        return new Api(changed, base);
    }

    /** JSON written with single quotes. */
    @SuppressWarnings("AnnotateFormatMethod")
    static ObjectNode json(String text, Object... arguments) {
        try {
            return (ObjectNode) MAPPER.readTree(text.formatted(arguments).replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Reply get(String path) {
        return send("GET", path, JSON, "", "");
    }

    Reply get(String path, String accept) {
        return send("GET", path, accept, "", "");
    }

    Reply create(String path, JsonNode object) {
        return send("POST", path, JSON, JSON, object.toString());
    }

    Reply put(String path, JsonNode object) {
        return send("PUT", path, JSON, JSON, object.toString());
    }

    Reply patch(String path, String type, String patch) {
        return send("PATCH", path, JSON, type, patch.replace('\'', '"'));
    }

    Reply delete(String path) {
        return send("DELETE", path, JSON, "", "");
    }

    Reply delete(String path, String options) {
        return send("DELETE", path, JSON, JSON, options.replace('\'', '"'));
    }

    Reply send(String method, String path, String accept, String type, String body) {
        return send(method, path, accept, type, body.getBytes(StandardCharsets.UTF_8));
    }

    Reply send(String method, String path, String accept, String type, byte[] body) {
        RequestBody content = body.length == 0 && (method.equals("GET") || method.equals("DELETE"))
                ? null
                : RequestBody.create(body, type.isEmpty() ? null : MediaType.parse(type));
        Request request = new Request.Builder()
                .url(base + path)
                .header("Accept", accept)
                .header("User-Agent", "contract/1")
                .method(method, content)
                .build();
        Reply reply = exchange(request);
        return isMomentary(reply) ? await().until(() -> exchange(request), again -> !isMomentary(again)) : reply;
    }

    /** Whether kube-apiserver was making a custom type's storage anew and says to try again, which is no part of any contract. */
    private static boolean isMomentary(Reply reply) {
        return reply.code() == 503 && reply.message().equals("apiserver is shutting down");
    }

    private Reply exchange(Request request) {
        try (Response response = http.newCall(request).execute()) {
            String text = response.body().string();
            JsonNode node = text.startsWith("{") ? MAPPER.readTree(text) : MissingNode.getInstance();
            return new Reply(response.code(), node, response.headers());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a watch. */
    Watching watch(String path) {
        return watch(path, JSON);
    }

    Watching watch(String path, String accept) {
        return new Watching(http.newCall(
                new Request.Builder().url(base + path).header("Accept", accept).build()));
    }
}

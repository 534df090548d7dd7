package io.controllermanager.crd;

import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** A server, and the namespace in which it is asked. Bodies are sent as they are written. Safe for any thread. */
record Judge(OkHttpClient http, String base, String namespace) {

    private static final MediaType JSON = MediaType.get("application/json");
    private static final int UNAVAILABLE = 503;

    /** Judges in a namespace of its own. */
    static Judge of(TestedServer server) {
        ApiClient client = server.client();
        return new Judge(client.getHttpClient(), client.getBasePath(), server.createNamespace());
    }

    /** Where the namespace's objects of a type are. */
    String path(String apiVersion, String plural) {
        return "/apis/" + apiVersion + "/namespaces/" + namespace + "/" + plural;
    }

    JsonElement resourceVersion(String apiVersion, String plural, String name) {
        Request request = new Request.Builder()
                .url(base + path(apiVersion, plural) + "/" + name)
                .build();
        try (Response response = http.newCall(request).execute()) {
            return JsonParser.parseString(response.body().string())
                    .getAsJsonObject()
                    .getAsJsonObject("metadata")
                    .get("resourceVersion");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the server says; asks again while it says to. */
    Verdict send(String method, String path, String body) {
        Request request = new Request.Builder()
                .url(base + path)
                .method(method, RequestBody.create(body, JSON))
                .build();
        // While kube-apiserver makes a custom type's storage anew it says to try again.
        Verdict verdict = exchange(request);
        return verdict.code() != UNAVAILABLE
                ? verdict
                : await().until(() -> exchange(request), again -> again.code() != UNAVAILABLE);
    }

    private Verdict exchange(Request request) {
        try (Response response = http.newCall(request).execute()) {
            return Verdict.of(
                    response.code(),
                    response.headers("Warning"),
                    response.body().string());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

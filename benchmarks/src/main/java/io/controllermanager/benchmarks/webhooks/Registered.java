package io.controllermanager.benchmarks.webhooks;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.benchmarks.plane.TokenPlane;
import io.kubernetes.client.openapi.ApiClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Base64;
import javax.net.SocketFactory;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * The webhook of one kind that the API server knows.
 *
 * @param path of its configurations
 */
record Registered(TokenPlane plane, String path) {

    private Request.Builder request() {
        return new Request.Builder().url(plane.url("/apis/admissionregistration.k8s.io/v1/" + path));
    }

    void remove() throws IOException {
        plane.send(request().delete());
    }

    /** Adds one for Foos that are created and updated. */
    void add(String url, byte[] certificate) throws IOException {
        String configuration = """
                {"metadata":{"name":"peer"},"webhooks":[{"name":"peer.samplecontroller.k8s.io","admissionReviewVersions":["v1"],\
                "sideEffects":"None","clientConfig":{"url":"%s","caBundle":"%s"},"rules":[{"operations":["CREATE","UPDATE"],\
                "apiGroups":["samplecontroller.k8s.io"],"apiVersions":["v1alpha1"],"resources":["foos"]}]}]}""".formatted(url, Base64.getEncoder().encodeToString(certificate));
        plane.send(request().post(RequestBody.create(configuration, MediaType.get("application/json"))));
    }

    private String client(String field) throws IOException {
        JsonObject list = JsonParser.parseString(plane.send(request())).getAsJsonObject();
        JsonObject configuration = list.getAsJsonArray("items").get(0).getAsJsonObject();
        JsonObject webhook = configuration.getAsJsonArray("webhooks").get(0).getAsJsonObject();
        return webhook.getAsJsonObject("clientConfig").get(field).getAsString();
    }

    String url() throws IOException {
        return client("url");
    }

    /** To where it is served, for whoever trusts as the API server does. */
    SocketFactory sockets() throws IOException {
        byte[] bundle = Base64.getDecoder().decode(client("caBundle"));
        return new ApiClient()
                .setSslCaCert(new ByteArrayInputStream(bundle))
                .getHttpClient()
                .sslSocketFactory();
    }
}

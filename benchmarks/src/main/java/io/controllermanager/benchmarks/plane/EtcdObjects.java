package io.controllermanager.benchmarks.plane;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.IntFunction;

/**
 * Puts objects into etcd past the API server, so that many come fast and take little processor time for being created. The
 * API server sees them as it sees what another API server of the same cluster writes; each has a revision of its own, since
 * a watch that is resumed goes on behind a revision.
 */
public final class EtcdObjects {

    private static final String REGISTRY = "/registry/";
    private static final int CONNECTIONS = 4;

    private final URI etcd;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Nothing is sent yet. */
    public EtcdObjects(URI etcd) {
        this.etcd = etcd;
    }

    /**
     * An object as it is stored.
     *
     * @param key such as {@code configmaps/default/name}
     * @param json the whole object
     */
    public record Stored(String key, String json) {}

    /** Puts objects, at most so many a second. */
    public void put(int count, int perSecond, IntFunction<Stored> objects) throws IOException, InterruptedException {
        Paced.run(CONNECTIONS, count, perSecond, System.nanoTime(), () -> index -> put(objects.apply(index)));
    }

    private void put(Stored object) throws IOException, InterruptedException {
        post(
                "/v3/kv/put",
                "{\"key\":\"" + base64(REGISTRY + object.key()) + "\",\"value\":\"" + base64(object.json()) + "\"}");
    }

    /** Removes all objects whose keys begin with this, such as {@code leases/default/}. */
    public void removeAll(String prefix) throws IOException, InterruptedException {
        String begin = REGISTRY + prefix;
        String end = begin.substring(0, begin.length() - 1) + (char) (begin.charAt(begin.length() - 1) + 1);
        post("/v3/kv/deleterange", "{\"key\":\"" + base64(begin) + "\",\"range_end\":\"" + base64(end) + "\"}");
    }

    private void post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(etcd.resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response;
        try {
            response = http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            // etcd closes a connection now and then as it is used again. What is sent may be sent twice.
            response = http.send(request, HttpResponse.BodyHandlers.ofString());
        }
        if (response.statusCode() != 200) {
            throw new IOException("etcd answers " + response.statusCode() + ": " + response.body());
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}

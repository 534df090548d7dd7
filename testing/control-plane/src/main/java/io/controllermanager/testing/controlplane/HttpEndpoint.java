package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A server that is asked a few things over HTTP. Each request has a connection of its own and starts no thread, so
 * that nothing is left of it. Safe for any thread.
 */
record HttpEndpoint(URI base, @Nullable SSLSocketFactory sockets) {

    /** A question can be asked again. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** An answer of any status. */
    record Answer(int status, String body) {

        boolean isOk() {
            return status / 100 == 2;
        }
    }

    /** @throws IOException if there is no answer within 10 seconds */
    Answer get(String path) throws IOException {
        return request("GET", path, null, PATIENCE);
    }

    /** @throws IOException if there is no answer within {@link Deadline#LIMIT} */
    Answer post(String path, String json) throws IOException {
        return request("POST", path, json, Deadline.LIMIT);
    }

    private Answer request(String method, String path, @Nullable String json, Duration patience) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) base.resolve(path).toURL().openConnection();
        if (connection instanceof HttpsURLConnection secure && sockets != null) {
            secure.setSSLSocketFactory(sockets);
        }
        connection.setConnectTimeout((int) patience.toMillis());
        connection.setReadTimeout((int) patience.toMillis());
        connection.setRequestMethod(method);
        connection.setRequestProperty("Accept", "application/json, */*");
        connection.setRequestProperty("Connection", "close");
        try {
            if (json != null) {
                connection.setDoOutput(true);
                connection.setRequestProperty("Content-Type", "application/json");
                try (OutputStream body = connection.getOutputStream()) {
                    body.write(json.getBytes(StandardCharsets.UTF_8));
                }
            }
            int status = connection.getResponseCode();
            try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return new Answer(status, body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
        } finally {
            connection.disconnect();
        }
    }
}

package io.controllermanager.apiserver.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Suppliers;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.io.ByteSource;
import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.tls.HandshakeCertificates;

/**
 * Posts JSON by HTTPS, and says what goes wrong as Go's client does. Connections are kept for the next call. For use by any thread.
 */
public final class HttpsClient {

    /** As many as the real server keeps clients (apiserver, pkg/util/webhook/client.go). */
    private static final int KEPT = 200;

    private static final MediaType JSON = MediaType.get(MediaTypes.JSON);

    /** Made when it is needed, since that takes longer than the start of a server. */
    private final Supplier<OkHttpClient> base = Suppliers.memoize(() -> new OkHttpClient.Builder()
            .connectTimeout(Duration.ZERO)
            .readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO)
            .build());

    private final Cache<Server, OkHttpClient> clients =
            CacheBuilder.newBuilder().maximumSize(KEPT).build();

    /** Nothing is called yet. */
    public HttpsClient() {}

    /**
     * Where something listens, and whom to trust there.
     *
     * @param host a name or an address, which need not be the name in the certificate
     * @param authorities certificates in PEM and base64 on top of that, as {@code caBundle} has them; empty for those of the JVM
     */
    public record Server(String host, int port, String authorities) {}

    /**
     * Posts a document.
     *
     * @param url what is asked for, as messages have it and the certificate is checked against
     * @param timeout for the whole call
     * @return the answer, which was a success
     * @throws IOException for what comes in the way; the message is complete
     */
    public JsonNode post(String url, Server server, Duration timeout, JsonNode document) throws IOException {
        Request request = new Request.Builder()
                .url(HttpUrl.get(url).newBuilder().port(server.port()).build())
                .post(RequestBody.create(Json.write(document), JSON))
                .build();
        OkHttpClient client = client(server).newBuilder().callTimeout(timeout).build();
        byte[] body;
        int code;
        boolean isText;
        try (Response response = client.newCall(request).execute()) {
            code = response.code();
            isText = response.header("Content-Type", "").startsWith("text/");
            body = response.body().bytes();
        } catch (IOException e) {
            throw new IOException("Post \"" + url + "\": " + reason(e, server), e);
        }
        return read(code, body, isText);
    }

    /** Closes the connections that are kept. */
    public void close() {
        clients.asMap().values().forEach(client -> client.connectionPool().evictAll());
    }

    private OkHttpClient client(Server server) throws IOException {
        OkHttpClient known = clients.getIfPresent(server);
        if (known == null) {
            HandshakeCertificates certificates = certificates(server.authorities());
            known = base.get()
                    .newBuilder()
                    .dns(name -> List.of(InetAddress.getAllByName(server.host())))
                    .sslSocketFactory(certificates.sslSocketFactory(), certificates.trustManager())
                    .build();
            clients.put(server, known);
        }
        return known;
    }

    private static HandshakeCertificates certificates(String authorities) throws IOException {
        HandshakeCertificates.Builder trusted = new HandshakeCertificates.Builder();
        if (authorities.isEmpty()) {
            return trusted.addPlatformTrustedCertificates().build();
        }
        try (InputStream pem =
                ByteSource.wrap(Base64.getDecoder().decode(authorities)).openStream()) {
            CertificateFactory.getInstance("X.509")
                    .generateCertificates(pem)
                    .forEach(certificate -> trusted.addTrustedCertificate((X509Certificate) certificate));
            return trusted.build();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("unable to load root certificates: unable to parse bytes as PEM block", e);
        }
    }

    private static String reason(IOException e, Server server) {
        if (e instanceof ConnectException) {
            return "dial tcp " + server.host() + ":" + server.port() + ": connect: connection refused";
        } else if (e instanceof UnknownHostException) {
            return "dial tcp: lookup " + server.host() + ": no such host";
        } else if (e instanceof InterruptedIOException) {
            return "context deadline exceeded";
        } else if (e instanceof SSLPeerUnverifiedException) {
            return "tls: failed to verify certificate: x509: certificate is not valid for this name: " + e.getMessage();
        } else if (e instanceof SSLException && String.valueOf(e.getMessage()).contains("certification path")) {
            return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
        }
        return String.valueOf(e.getMessage()).contains("unexpected end of stream")
                ? "EOF"
                : String.valueOf(e.getMessage());
    }

    /** Reads what came (client-go, rest/request.go, transformResponse). */
    private static JsonNode read(int code, byte[] body, boolean isText) throws IOException {
        if (code < 200 || code > 206) {
            throw new IOException(refusal(code, isText ? new String(body, StandardCharsets.UTF_8).strip() : "unknown"));
        } else if (body.length == 0) {
            throw new IOException(
                    "0-length response with status code: " + code + " and content type: application/json");
        }
        try {
            return Json.read(body);
        } catch (JsonProcessingException e) {
            throw new IOException("couldn't get version/kind; json parse error: " + e.getOriginalMessage(), e);
        }
    }

    /** In the words of apimachinery's api/errors, NewGenericServerResponse. */
    private static String refusal(int code, String body) {
        return switch (code) {
            case 400 -> "the server rejected our request for an unknown reason";
            case 401 -> "the server has asked for the client to provide credentials";
            case 404 -> "the server could not find the requested resource";
            case 405 -> "the server does not allow this method on the requested resource";
            case 503 -> "the server is currently unable to handle the request";
            case 403, 415 -> body;
            default ->
                code >= 500
                        ? "an error on the server (\"" + body + "\") has prevented the request from succeeding"
                        : "the server responded with the status code " + code + " but did not return more information";
        };
    }
}

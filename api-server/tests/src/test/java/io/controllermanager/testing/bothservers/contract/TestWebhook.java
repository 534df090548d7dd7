package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** A webhook that answers as a test wants it. It listens on the loopback interface with a certificate of its own. */
final class TestWebhook implements AutoCloseable {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final HeldCertificate AUTHORITY =
            new HeldCertificate.Builder().certificateAuthority(0).build();

    /** An answer that never comes. */
    static final Function<ObjectNode, String> HANGS = review -> null;

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<ObjectNode> requests = new CopyOnWriteArrayList<>();
    private volatile Function<ObjectNode, String> answer;

    /** Answers a review's request with a body; the names are those of the certificate. */
    TestWebhook(Function<ObjectNode, String> answer, String... names) {
        this.answer = answer;
        try {
            HeldCertificate.Builder leaf = new HeldCertificate.Builder().signedBy(AUTHORITY);
            for (String name : names.length == 0 ? new String[] {"127.0.0.1"} : names) {
                leaf.addSubjectAlternativeName(name);
            }
            HandshakeCertificates certificates = new HandshakeCertificates.Builder()
                    .heldCertificate(leaf.build())
                    .build();
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(certificates.sslContext()));
            server.createContext("/", this::handle);
            server.setExecutor(threads);
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            ObjectNode review = (ObjectNode) MAPPER.readTree(exchange.getRequestBody());
            requests.add(review);
            String text = answer.apply(review);
            if (text == null) {
                closed.await();
                return;
            }
            int code = text.startsWith("!") ? Integer.parseInt(text.substring(1, 4)) : 200;
            byte[] body = (code == 200 ? text : text.substring(4)).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", code == 200 ? "application/json" : "text/plain");
            exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Answers otherwise from now on. */
    void answer(Function<ObjectNode, String> other) {
        answer = other;
    }

    /** A {@code clientConfig} that leads here, with single quotes. */
    String clientConfig() {
        return "{'url':'https://127.0.0.1:%d/path','caBundle':'%s'}".formatted(port(), caBundle());
    }

    static String caBundle() {
        return Base64.getEncoder().encodeToString(AUTHORITY.certificatePem().getBytes(StandardCharsets.UTF_8));
    }

    /** The requests of all reviews so far. */
    List<JsonNode> requests() {
        return requests.stream().map(review -> review.path("request")).toList();
    }

    JsonNode last() {
        return requests().get(requests.size() - 1);
    }

    void forget() {
        requests.clear();
    }

    /** An AdmissionReview with these fields of its response. */
    static Function<ObjectNode, String> admission(String fields) {
        return review -> json(
                        "{'apiVersion':'admission.k8s.io/v1','kind':'AdmissionReview','response':{'uid':'%s',%s}}",
                        review.at("/request/uid").asText(), fields.replace("%", "%%"))
                .toString();
    }

    static Function<ObjectNode, String> allows() {
        return admission("'allowed':true");
    }

    /** An AdmissionReview that patches. */
    static Function<ObjectNode, String> patches(String patch) {
        String base64 =
                Base64.getEncoder().encodeToString(patch.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return admission("'allowed':true,'patchType':'JSONPatch','patch':'" + base64 + "'");
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}

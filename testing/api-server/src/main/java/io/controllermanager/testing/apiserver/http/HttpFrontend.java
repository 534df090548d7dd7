package io.controllermanager.testing.apiserver.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.controllermanager.testing.apiserver.json.Json;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** The JDK's HTTP server with a handler behind it. Speaks HTTP/1.1 without TLS, on the loopback interface only. */
public final class HttpFrontend implements AutoCloseable {

    /** From which size on the real server compresses. */
    private static final int WORTH_COMPRESSING = 128 * 1024;

    private final HttpServer server;
    private final ExecutorService executor;
    private final Handler handler;
    private final InstantSource clock;

    private HttpFrontend(HttpServer server, InstantSource clock, Handler handler) {
        this.clock = clock;
        this.server = server;
        this.handler = handler;
        String name = "api-server-" + server.getAddress().getPort() + "-";
        AtomicLong count = new AtomicLong();
        // A thread for each request, since a watch keeps its own for as long as it lasts.
        this.executor = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, name + count.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Starts to listen and answer.
     *
     * @param port 0 for any that is free
     * @param clock by which answers tell how old things are
     */
    public static HttpFrontend start(int port, InstantSource clock, Handler handler) {
        // The JDK's server reads these when the JVM's first instance is made, which may have been another's: the docs
        // say so. Without the first an answer waits up to 40 ms for the acknowledgement of what was sent before;
        // without
        // the second a connection is closed after half a minute without a request, maybe just when a client sends one.
        setUnlessSet("sun.net.httpserver.nodelay", "true");
        setUnlessSet("sun.net.httpserver.idleInterval", "3600");
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 512);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port, e);
        }
        HttpFrontend frontend = new HttpFrontend(server, clock, handler);
        server.createContext("/", frontend::exchange);
        server.setExecutor(frontend.executor);
        server.start();
        return frontend;
    }

    private static void setUnlessSet(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    public URI url() {
        InetSocketAddress address = server.getAddress();
        return URI.create("http://" + address.getAddress().getHostAddress() + ":" + address.getPort());
    }

    /** What answers. */
    public Handler handler() {
        return handler;
    }

    private void exchange(HttpExchange exchange) throws IOException {
        try {
            Response response;
            boolean gzip;
            try {
                Request request = Request.read(exchange, clock);
                gzip = request.header("Accept-Encoding").contains("gzip");
                response = handler.handle(request);
            } catch (StatusException e) {
                gzip = false;
                response = Response.error(e);
            } catch (RuntimeException | Error e) {
                // No client is left without an answer, not even by an error of the JVM's.
                gzip = false;
                response = Response.error(StatusException.of(500, "InternalError", "Internal error occurred: " + e));
            }
            write(exchange, response, gzip);
            exchange.close();
        } catch (Error e) {
            // The JDK's server cuts a connection for an exception only.
            throw new IOException("a stream failed", e);
        } catch (InterruptedException e) {
            // The server is closing: leave the stream as it is.
            Thread.currentThread().interrupt();
            throw new AbortedConnection();
        }
    }

    private static void write(HttpExchange exchange, Response response, boolean gzip)
            throws IOException, InterruptedException {
        for (String warning : new LinkedHashSet<>(response.warnings())) {
            if (warning.chars().anyMatch(Character::isISOControl)) {
                // Which no header can have; the real server leaves it out as well.
                continue;
            }
            exchange.getResponseHeaders()
                    .add(
                            "Warning",
                            utf8("299 - \"" + warning.replace("\\", "\\\\").replace("\"", "\\\"") + "\""));
        }
        if (response instanceof Response.Stream stream) {
            exchange.getResponseHeaders().set("Content-Type", stream.contentType());
            exchange.sendResponseHeaders(200, 0);
            stream.events().writeTo(new Body(new BufferedOutputStream(exchange.getResponseBody(), 1 << 16)));
            return;
        }
        Response.Document document = (Response.Document) response;
        byte[] body = document.body();
        exchange.getResponseHeaders().set("Content-Type", document.contentType());
        if (document.code() == 429 || document.code() == 504) {
            long seconds =
                    Json.readOwn(body).path("details").path("retryAfterSeconds").asLong();
            if (seconds > 0) {
                exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
            }
        }
        if (gzip && body.length > WORTH_COMPRESSING) {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            body = compress(body);
        }
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(document.code(), head || body.length == 0 ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    /** The JDK's server sends a byte for each character; clients read UTF-8. */
    private static String utf8(String header) {
        return new String(header.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static byte[] compress(byte[] body) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream gzip = new FastGzip(out)) {
            gzip.write(body);
        }
        return out.toByteArray();
    }

    private static final class FastGzip extends GZIPOutputStream {

        FastGzip(OutputStream out) throws IOException {
            super(out, 1 << 16);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private record Body(OutputStream out) implements Response.Sink {

        @Override
        public void send(byte[] event, boolean bookmark) throws IOException {
            out.write(event);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }

    /** Cuts all connections and ends all threads. */
    @Override
    public void close() {
        executor.shutdownNow();
        server.stop(0);
    }
}

package io.controllermanager.client.internal.connection;

import io.controllermanager.client.internal.transport.TlsFront;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that connects to one server, whatever host it is asked for: by CONNECT, SOCKS 5 or as one that forwards. Its
 * threads end with the connections that they serve. Safe for any thread.
 */
final class TestProxy implements AutoCloseable {

    private final URI server;
    private final TlsFront.@Nullable Identity identity;
    private final String answer;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> logins = new CopyOnWriteArrayList<>();

    /**
     * Listens.
     *
     * @param server all connections go there
     * @param identity for a proxy that speaks TLS
     * @param answer what CONNECT is answered; empty to say nothing
     */
    TestProxy(URI server, TlsFront.@Nullable Identity identity, String answer) throws IOException {
        this.server = server;
        this.identity = identity;
        this.answer = answer;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /** One that does as it is asked. */
    static TestProxy to(String server) throws IOException {
        return new TestProxy(URI.create(server), null, "200 Connection established");
    }

    /** Its host and port. */
    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** What it was asked for, in order. */
    List<String> asked() {
        return asked;
    }

    /** With which Proxy-Authorization it was asked, in order. */
    List<String> logins() {
        return logins;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket raw = listener.accept();
                open.add(raw);
                start(() -> serve(raw));
            } catch (IOException e) {
                // It is being closed.
            }
        }
    }

    private void serve(Socket raw) {
        try (raw;
                Socket client = identity == null ? raw : secure(raw, identity);
                Socket target = new Socket(server.getHost(), server.getPort())) {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            int first = in.read();
            if (first == 5) {
                socks(in, out);
            } else {
                String head = (char) first + head(in);
                asked.add(head.lines().findFirst().orElse(""));
                head.lines()
                        .filter(line -> line.startsWith("Proxy-Authorization: "))
                        .forEach(line -> logins.add(line.substring(line.indexOf(' ') + 1)));
                if (!head.startsWith("CONNECT ")) {
                    target.getOutputStream()
                            .write(head.replaceFirst("http://[^/]+", "").getBytes(StandardCharsets.ISO_8859_1));
                } else if (answer.isEmpty()) {
                    in.transferTo(OutputStream.nullOutputStream());
                } else {
                    out.write(("HTTP/1.1 " + answer + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
                }
            }
            start(() -> copy(target, client));
            copy(client, target);
        } catch (IOException | java.security.GeneralSecurityException e) {
            // Refused by the client, or cut.
        } finally {
            open.remove(raw);
        }
    }

    private static Socket secure(Socket raw, TlsFront.Identity identity)
            throws IOException, java.security.GeneralSecurityException {
        SSLSocket secure =
                (SSLSocket) identity.context().getSocketFactory().createSocket(raw, null, raw.getPort(), true);
        secure.setUseClientMode(false);
        secure.startHandshake();
        return secure;
    }

    private void socks(InputStream in, OutputStream out) throws IOException {
        in.readNBytes(in.read());
        out.write(new byte[] {5, 0});
        in.readNBytes(3);
        String host = in.read() == 3 ? new String(in.readNBytes(in.read()), StandardCharsets.US_ASCII) : "address";
        asked.add("SOCKS " + host + ":" + ((in.read() << 8) + in.read()));
        out.write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        return head.toString();
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Cut.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "test-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}

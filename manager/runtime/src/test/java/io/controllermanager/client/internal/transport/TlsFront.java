package io.controllermanager.client.internal.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * TLS before a server that speaks none. It can show another certificate from some moment on, as an API server that is
 * started again does. Its threads end with the connections that they serve. Safe for any thread.
 */
public final class TlsFront implements AutoCloseable {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final URI server;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<String> names = new CopyOnWriteArrayList<>();
    private volatile boolean needsCertificate;
    private volatile SSLContext context;

    /** A key with a certificate that it has signed itself, which is its own authority. */
    public record Identity(KeyStore store) {

        /** Makes one for the loopback address. */
        public static Identity make(String name) {
            return make(name, "SAN=ip:127.0.0.1", "-keyalg", "EC");
        }

        /**
         * Makes one.
         *
         * @param hosts as keytool takes alternative names
         * @param key keytool's options for the key
         */
        public static Identity make(String name, String hosts, String... key) {
            try {
                Path store = Files.createTempDirectory("tls-front-").resolve("keys.p12");
                try {
                    return new Identity(make(store, name, hosts, key));
                } finally {
                    Files.deleteIfExists(store);
                    Files.delete(Objects.requireNonNull(store.getParent()));
                }
            } catch (IOException | GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        private static KeyStore make(Path store, String name, String hosts, String... key)
                throws IOException, GeneralSecurityException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "it",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    hosts,
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    new String(PASSWORD),
                    "-keystore",
                    store.toString()));
            command.addAll(List.of(key));
            Process keytool = new ProcessBuilder(command).inheritIO().start();
            try {
                if (keytool.waitFor() != 0) {
                    throw new IOException("keytool failed");
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return KeyStore.getInstance(store.toFile(), PASSWORD);
        }

        /** The certificate of whom to trust, in PEM. */
        public String authority() throws GeneralSecurityException {
            return "-----BEGIN CERTIFICATE-----\n"
                    + Base64.getMimeEncoder()
                            .encodeToString(store.getCertificate("it").getEncoded())
                    + "\n-----END CERTIFICATE-----\n";
        }

        /** The key, in PEM. */
        public String key() throws GeneralSecurityException {
            return "-----BEGIN PRIVATE KEY-----\n"
                    + Base64.getMimeEncoder()
                            .encodeToString(store.getKey("it", PASSWORD).getEncoded())
                    + "\n-----END PRIVATE KEY-----\n";
        }

        /** Servers of this identity, which trust it as a client. */
        public SSLContext context() throws GeneralSecurityException {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        }
    }

    /** Listens, and passes on to a server. */
    public TlsFront(URI server, Identity identity) throws Exception {
        this.server = server;
        this.context = identity.context();
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("tls-front-accept", this::accept);
    }

    /** Where it listens. */
    public String url() {
        return "https://127.0.0.1:" + listener.getLocalPort();
    }

    /** Ends all connections and shows another certificate from now on. */
    public void restartAs(Identity identity) throws GeneralSecurityException {
        context = identity.context();
        open.forEach(TlsFront::closeQuietly);
    }

    /** How many connections there are. */
    public int connections() {
        return open.size();
    }

    /** From now on clients need a certificate of the identity that is shown. */
    public void requireCertificate() {
        needsCertificate = true;
    }

    /** The names that clients have asked for, in order. */
    public List<String> names() {
        return names;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket raw = listener.accept();
                open.add(raw);
                start("tls-front", () -> serve(raw));
            } catch (IOException e) {
                // It is being closed.
            }
        }
    }

    private void serve(Socket raw) {
        try (raw;
                SSLSocket inner = (SSLSocket) context.getSocketFactory().createSocket(raw, null, raw.getPort(), true);
                Socket outer = new Socket(server.getHost(), server.getPort())) {
            inner.setUseClientMode(false);
            inner.setNeedClientAuth(needsCertificate);
            inner.startHandshake();
            names.add(((ExtendedSSLSession) inner.getSession())
                    .getRequestedServerNames().stream()
                            .map(name -> ((SNIHostName) name).getAsciiName())
                            .findFirst()
                            .orElse("no name"));
            start("tls-front-down", () -> copy(outer, inner));
            copy(inner, outer);
        } catch (IOException e) {
            // Refused by the client, or cut.
        } finally {
            open.remove(raw);
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException e) {
            // Cut.
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        open.forEach(TlsFront::closeQuietly);
    }
}

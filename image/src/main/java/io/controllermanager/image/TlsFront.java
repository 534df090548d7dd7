package io.controllermanager.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * TLS before the API server in memory, which speaks none: the handshake is a good part of a start, and belongs into what
 * is recorded. It passes bytes on; its certificate is made by the JDK's keytool and forgotten with it.
 */
final class TlsFront implements AutoCloseable {

    private static final String ALIAS = "front";

    /** Of a key that lives for seconds on the loopback interface. */
    private static final String PASSWORD = "training";

    private final SSLServerSocket listener;
    private final String certificate;
    private final URI target;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "tls-front");
        thread.setDaemon(true);
        return thread;
    });

    private TlsFront(SSLServerSocket listener, String certificate, URI target) {
        this.listener = listener;
        this.certificate = certificate;
        this.target = target;
    }

    /** Listens, and passes on to a server on the loopback interface. */
    static TlsFront before(URI target) throws IOException, InterruptedException {
        Path store = Files.createTempFile("training-", ".p12");
        try {
            Files.delete(store);
            makeKey(store);
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            SSLServerSocket listener = (SSLServerSocket)
                    context.getServerSocketFactory().createServerSocket(0, 100, InetAddress.getLoopbackAddress());
            String certificate = Base64.getMimeEncoder()
                    .encodeToString(keys.getCertificate(ALIAS).getEncoded());
            TlsFront front = new TlsFront(listener, certificate, target);
            front.threads.execute(front::accept);
            return front;
        } catch (GeneralSecurityException e) {
            throw new IOException("The key that keytool has made is of no use", e);
        } finally {
            Files.deleteIfExists(store);
        }
    }

    private static void makeKey(Path store) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=127.0.0.1",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        byte[] output = keytool.getInputStream().readAllBytes();
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed: " + new String(output, StandardCharsets.UTF_8));
        }
    }

    /** A kubeconfig that leads here, as YAML. */
    String kubeconfig() {
        String pem = "-----BEGIN CERTIFICATE-----\n" + certificate + "\n-----END CERTIFICATE-----\n";
        return """
                apiVersion: v1
                kind: Config
                current-context: training
                contexts:
                - name: training
                  context:
                    cluster: training
                    user: training
                    namespace: default
                clusters:
                - name: training
                  cluster:
                    server: https://127.0.0.1:%d
                    certificate-authority-data: %s
                users:
                - name: training
                  user:
                    token: training
                """.formatted(
                listener.getLocalPort(), Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(target.getHost(), target.getPort());
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                threads.execute(() -> pass(client, server));
                threads.execute(() -> pass(server, client));
            }
        } catch (IOException e) {
            // Closed: nobody is to come any more.
        }
    }

    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[16 * 1024];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                out.write(buffer, 0, count);
                out.flush();
            }
        } catch (IOException e) {
            // One end is gone, and by closing both so is the other.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}

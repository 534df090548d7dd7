package io.controllermanager.client.internal.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sockets of whichever TLS context is the present one. A context of its own for each renewal keeps a session of the former
 * one from being resumed, which would ask neither for a certificate nor whom to trust. Safe for use by several threads.
 */
final class TlsSockets extends SSLSocketFactory {

    private static final Pattern IP = Pattern.compile("[0-9.]+|.*:.*");

    /** Those that may be open; one that nobody uses any more goes by itself. Guarded by itself. */
    private final Set<Socket> made = Collections.newSetFromMap(new WeakHashMap<>());

    /** Written, and read to open a socket, under the lock of those made: none of a former context is overlooked. */
    private volatile SSLSocketFactory present;

    private final UnaryOperator<String> names;

    /** Begins with a context; the names are what a host is called in TLS. */
    TlsSockets(SSLContext first, UnaryOperator<String> names) {
        this.present = first.getSocketFactory();
        this.names = names;
    }

    /** Opens sockets of this context from now on, and closes all that are open. */
    void use(SSLContext next) {
        List<Socket> former;
        synchronized (made) {
            present = next.getSocketFactory();
            former = List.copyOf(made);
            made.clear();
        }
        for (Socket socket : former) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is as good as closed.
            }
        }
    }

    /** Remembers the socket below TLS, whose closing waits for nobody who writes. */
    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
        SSLSocketFactory factory;
        synchronized (made) {
            made.add(socket);
            factory = present;
        }
        String name = names.apply(host);
        SSLSocket secure = (SSLSocket) factory.createSocket(socket, name, port, autoClose);
        SSLParameters parameters = secure.getSSLParameters();
        if (parameters.getServerNames() == null && !IP.matcher(name).matches()) {
            // The JDK leaves out a name without a dot. The constructor for a text would refuse underscores.
            byte[] sent = name.replaceFirst("\\.$", "").getBytes(StandardCharsets.UTF_8);
            parameters.setServerNames(List.of(new SNIHostName(sent)));
            secure.setSSLParameters(parameters);
        }
        return secure;
    }

    // What follows is not used by OkHttp, which connects first.

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(new Socket(host, port), host, port, true);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(new Socket(host, port, localHost, localPort), host, port, true);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(new Socket(host, port), host.getHostAddress(), port, true);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(new Socket(host, port, localHost, localPort), host.getHostAddress(), port, true);
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return present.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return present.getSupportedCipherSuites();
    }
}

package io.controllermanager.client.internal.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.net.SocketFactory;

/**
 * Sockets that send at once what they are given ({@code TCP_NODELAY}), as Go's do. OkHttp writes a request's headers and its
 * body one after the other; otherwise the body would wait until the API server acknowledges the headers, which it does up
 * to 40 ms later. Safe for use by several threads.
 */
public final class NoDelaySocketFactory extends SocketFactory {

    private final Supplier<Socket> maker;

    /** Those that may be open; one that nobody uses any more goes by itself. */
    private final Set<Socket> made;

    /** Of the JDK's sockets. */
    public NoDelaySocketFactory() {
        this(Socket::new, Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>())));
    }

    private NoDelaySocketFactory(Supplier<Socket> maker, Set<Socket> made) {
        this.maker = maker;
        this.made = made;
    }

    /** A factory of other sockets, which an abort of this one ends too. */
    NoDelaySocketFactory making(Supplier<Socket> newMaker) {
        return new NoDelaySocketFactory(newMaker, made);
    }

    /** A factory of the same sockets, which an abort of this one spares. */
    public NoDelaySocketFactory apart() {
        return new NoDelaySocketFactory().making(maker);
    }

    @Override
    public Socket createSocket() throws IOException {
        return noDelay(maker.get());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return noDelay(new Socket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return noDelay(new Socket(host, port, localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return noDelay(new Socket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return noDelay(new Socket(host, port, localHost, localPort));
    }

    private Socket noDelay(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        made.add(socket);
        return socket;
    }

    /**
     * Closes all sockets so that the system forgets what was written to them and has not been acknowledged; otherwise it
     * would go on sending that for minutes, until the network is whole again.
     */
    public void abort() {
        List<Socket> all;
        synchronized (made) {
            all = List.copyOf(made);
        }
        for (Socket socket : all) {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException e) {
                // It is closed.
            }
        }
    }
}

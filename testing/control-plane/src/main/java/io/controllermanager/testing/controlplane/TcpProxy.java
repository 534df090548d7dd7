package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Stands between a client and a server, to cut and to freeze what goes through, and to count it. */
public final class TcpProxy implements AutoCloseable {

    private final String scheme;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final LongAdder received = new LongAdder();
    private volatile URI server;
    private volatile boolean refusing;
    private volatile boolean frozen;

    public TcpProxy(URI server) throws IOException {
        this.scheme = server.getScheme();
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("proxy-accept", this::accept);
    }

    public String url() {
        return scheme + "://127.0.0.1:" + listener.getLocalPort();
    }

    /** Cuts all connections, and closes new ones at once until {@link #restore}. */
    public void cut() {
        refusing = true;
        dropConnections();
    }

    /** Cuts all connections; new ones are welcome. */
    public void dropConnections() {
        for (Socket socket : sockets) {
            closeQuietly(socket);
        }
        sockets.clear();
    }

    /** From now on what is sent goes nowhere, and connections stay open. */
    public void freeze() {
        frozen = true;
    }

    /** Lets everything through again; connections that were frozen stay so. */
    public void restore() {
        refusing = false;
        frozen = false;
    }

    /** Cuts all connections, and leads new ones to another server, which speaks as the first does. */
    public void redirect(URI other) {
        server = other;
        dropConnections();
    }

    /** How many bytes servers have sent to clients, TLS included. */
    public long bytesReceived() {
        return received.sum();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket inner = listener.accept();
                sockets.add(inner);
                if (refusing) {
                    closeQuietly(inner);
                    continue;
                }
                URI target = server;
                Socket outer = new Socket(target.getHost(), target.getPort());
                sockets.add(outer);
                start("proxy-up", () -> copy(inner, outer, new LongAdder()));
                start("proxy-down", () -> copy(outer, inner, received));
            } catch (IOException e) {
                // The server is away, or this proxy is being closed.
                if (!listener.isClosed()) {
                    dropConnections();
                }
            }
        }
    }

    private void copy(Socket from, Socket to, LongAdder bytes) {
        byte[] buffer = new byte[16 * 1024];
        boolean swallowed = false;
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            // Client and server send at once what they have. With a delay here, each answer after an event took 40 ms
            // more.
            to.setTcpNoDelay(true);
            int read = in.read(buffer);
            while (read >= 0) {
                swallowed |= frozen;
                if (!swallowed) {
                    bytes.add(read);
                    out.write(buffer, 0, read);
                    out.flush();
                }
                read = in.read(buffer);
            }
        } catch (IOException e) {
            // One side has gone; so goes the other.
        }
        closeQuietly(from);
        closeQuietly(to);
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
            // It is as good as closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        dropConnections();
    }
}

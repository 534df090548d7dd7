package io.controllermanager.informer.faults;

import io.controllermanager.time.internal.Timer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What lies between a client and a server, with all that can go wrong there, and a count of what did. Its threads end with
 * the connections that they serve. Safe for any thread.
 */
final class FaultProxy implements AutoCloseable {

    /** What is done with bytes. */
    private enum Fate {
        PASS,
        /** They are gone, and so is all that follows on their connection. */
        SWALLOW,
        /** They wait, and go on later. */
        HOLD,
        /** A few at a time. */
        TRICKLE
    }

    private static final int TRICKLED_BYTES = 16;
    private static final Duration TRICKLE_PAUSE = Duration.ofMillis(5);

    private final URI server;
    private final Timer timer;
    private final int port;
    private final Object lock = new Object();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    // Guarded by lock.
    private @Nullable ServerSocket listener;
    private Fate up = Fate.PASS;
    private Fate down = Fate.PASS;
    private boolean closed;

    private volatile long budget = Long.MAX_VALUE;
    private volatile byte @Nullable [] greeting;
    private volatile boolean shortLimits;

    /** Grows with each cut, so that a connection that was being made meanwhile is not left. */
    private final AtomicLong epoch = new AtomicLong();

    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong cut = new AtomicLong();
    private final AtomicLong swallowed = new AtomicLong();
    private final AtomicLong trickled = new AtomicLong();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong greeted = new AtomicLong();
    private final AtomicLong shortened = new AtomicLong();
    private final AtomicLong givenUp = new AtomicLong();
    private final AtomicLong expired = new AtomicLong();

    FaultProxy(URI server, Timer timer) {
        this.server = server;
        this.timer = timer;
        try {
            ServerSocket first = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            this.port = first.getLocalPort();
            listen(first);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return server.getScheme() + "://127.0.0.1:" + port;
    }

    // What goes wrong.

    /** Ends all connections, as their ends would in order; new ones are welcome. */
    void cut() {
        end(false);
    }

    /** Resets all connections. */
    void reset() {
        end(true);
    }

    /** Each connection ends once so many bytes have come down it from now on, wherever in an event that is. */
    void cutAfter(long bytes) {
        connections.forEach(connection -> connection.down.set(0));
        budget = bytes;
    }

    /** Who connects is refused, as by a machine on which nobody listens. Connections that exist are cut. */
    void refuse() {
        synchronized (lock) {
            if (listener != null) {
                closeQuietly(listener);
                listener = null;
            }
        }
        cut();
    }

    /** Who connects is sent these bytes, and then cut: none at all, or those of somebody else who listens there. */
    void greet(String with) {
        greeting = with.getBytes(StandardCharsets.ISO_8859_1);
        cut();
    }

    /** What is sent is lost, in one direction or both; connections stay open, new ones too. */
    void swallow(boolean fromClient, boolean fromServer) {
        fates(fromClient ? Fate.SWALLOW : Fate.PASS, fromServer ? Fate.SWALLOW : Fate.PASS);
    }

    /** What is sent waits until {@link #restore}, and nothing is lost. */
    void hold() {
        fates(Fate.HOLD, Fate.HOLD);
    }

    /** What the server sends comes as through a line of 3 KB/s. */
    void trickle() {
        fates(Fate.PASS, Fate.TRICKLE);
    }

    /** Every time limit that the client asks for becomes one second; of plain HTTP only. */
    void shortLimits() {
        shortLimits = true;
    }

    /** Nothing goes wrong any more. A connection of which something is lost stays as it is. */
    void restore() {
        budget = Long.MAX_VALUE;
        greeting = null;
        shortLimits = false;
        fates(Fate.PASS, Fate.PASS);
        synchronized (lock) {
            if (listener == null && !closed) {
                try {
                    ServerSocket again = new ServerSocket();
                    again.setReuseAddress(true);
                    again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
                    listen(again);
                } catch (IOException e) {
                    throw new UncheckedIOException("port " + port + " was taken meanwhile", e);
                }
            }
        }
    }

    // What was counted.

    /** Connections that were made. */
    long accepted() {
        return accepted.get();
    }

    /** Connections that are open. */
    int open() {
        return connections.size();
    }

    /** Connections that were ended here. */
    long cuts() {
        return cut.get();
    }

    /** Bytes that were lost. */
    long swallowed() {
        return swallowed.get();
    }

    /** Bytes that came drop by drop. */
    long trickled() {
        return trickled.get();
    }

    /** Bytes that had to wait. */
    long held() {
        return held.get();
    }

    /** Connections that were answered with something else. */
    long greeted() {
        return greeted.get();
    }

    /** Requests whose time limit was changed. */
    long shortened() {
        return shortened.get();
    }

    /** Connections of which something was lost and which the client has given up since. */
    long givenUp() {
        return givenUp.get();
    }

    /** How often the server has said 410, whether that has come to the client or not; of plain HTTP only. */
    long expired() {
        return expired.get();
    }

    /** A connection that the client makes because another has ended is left: those that are there are gathered first. */
    private void end(boolean reset) {
        epoch.incrementAndGet();
        List.copyOf(connections).forEach(connection -> connection.end(reset));
    }

    private void fates(Fate newUp, Fate newDown) {
        synchronized (lock) {
            up = newUp;
            down = newDown;
            lock.notifyAll();
        }
    }

    private void listen(ServerSocket socket) {
        synchronized (lock) {
            listener = socket;
        }
        start("accept", () -> accept(socket));
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                client.setTcpNoDelay(true);
                if (socket.isClosed()) {
                    // Whoever connects just while a listener is closed may still be let in by the kernel.
                    closeQuietly(client);
                    continue;
                }
                accepted.incrementAndGet();
                byte[] instead = greeting;
                if (instead != null) {
                    greeted.incrementAndGet();
                    start("greet", () -> greet(client, instead));
                    continue;
                }
                serve(client);
            } catch (IOException e) {
                // The server is away, and so is the connection; or this listener has been closed.
            }
        }
    }

    private void serve(Socket client) throws IOException {
        long begun = epoch.get();
        Socket outer;
        try {
            outer = new Socket(server.getHost(), server.getPort());
            outer.setTcpNoDelay(true);
        } catch (IOException e) {
            closeQuietly(client);
            throw e;
        }
        Connection connection = new Connection(client, outer);
        connections.add(connection);
        if (epoch.get() != begun) {
            connection.end(false);
            return;
        }
        start("up", () -> pump(connection, true));
        start("down", () -> pump(connection, false));
    }

    private static void greet(Socket client, byte[] with) {
        try (client) {
            if (with.length > 0) {
                // What the client says is read first, or the answer would be lost with the connection's reset.
                client.setSoTimeout(500);
                client.getInputStream().read(new byte[16 * 1024]);
                client.getOutputStream().write(with);
            }
        } catch (IOException e) {
            // Gone already.
        }
    }

    private void pump(Connection connection, boolean upwards) {
        Socket from = upwards ? connection.client : connection.outer;
        Socket to = upwards ? connection.outer : connection.client;
        byte[] buffer = new byte[16 * 1024];
        boolean lost = false;
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int read = in.read(buffer);
            while (read >= 0) {
                if (!upwards) {
                    expired.addAndGet(connection.expiries.count(buffer, read));
                }
                Fate fate = awaitTurn(connection, upwards, read);
                if (fate == Fate.SWALLOW || lost) {
                    lost = true;
                    connection.lost = true;
                    swallowed.addAndGet(read);
                } else if (!write(connection, out, buffer, read, upwards)) {
                    return;
                }
                read = in.read(buffer);
            }
        } catch (IOException e) {
            // One side has gone; so goes the other.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
        }
    }

    private Fate awaitTurn(Connection connection, boolean upwards, int bytes) throws InterruptedException {
        synchronized (lock) {
            boolean waited = false;
            while ((upwards ? up : down) == Fate.HOLD && !connection.client.isClosed()) {
                if (!waited) {
                    held.addAndGet(bytes);
                    waited = true;
                }
                lock.wait(1_000);
            }
            return upwards ? up : down;
        }
    }

    private boolean trickles() {
        synchronized (lock) {
            return down == Fate.TRICKLE;
        }
    }

    /** Whether the connection goes on. */
    private boolean write(Connection connection, OutputStream out, byte[] buffer, int read, boolean upwards)
            throws IOException, InterruptedException {
        if (upwards) {
            out.write(shortLimits ? shortened(buffer, read) : buffer, 0, read);
            return true;
        }
        long before = connection.down.getAndAdd(read);
        long room = budget - before;
        if (room < read) {
            out.write(buffer, 0, (int) Math.max(0, room));
            connection.end(false);
            return false;
        }
        int written = 0;
        while (written < read && trickles()) {
            int some = Math.min(TRICKLED_BYTES, read - written);
            out.write(buffer, written, some);
            written += some;
            trickled.addAndGet(some);
            timer.sleep(TRICKLE_PAUSE);
        }
        out.write(buffer, written, read - written);
        return true;
    }

    private byte[] shortened(byte[] buffer, int read) {
        String text = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
        String changed = text.replaceAll("timeoutSeconds=\\d\\d\\d(?=[& ])", "timeoutSeconds=001");
        if (changed.equals(text)) {
            return buffer;
        }
        shortened.incrementAndGet();
        return changed.getBytes(StandardCharsets.ISO_8859_1);
    }

    private void start(String name, Runnable task) {
        Thread thread = new Thread(task, "fault-proxy-" + port + "-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // It is as good as closed.
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (listener != null) {
                closeQuietly(listener);
                listener = null;
            }
        }
        connections.forEach(Connection::close);
        fates(Fate.PASS, Fate.PASS);
    }

    /** One on each side. */
    private final class Connection {

        private final Socket client;
        private final Socket outer;
        private final AtomicLong down = new AtomicLong();
        private volatile boolean lost;
        private volatile boolean ended;

        /** For the thread that carries what the server sends. */
        private final ExpiryCounter expiries = new ExpiryCounter();

        Connection(Socket client, Socket outer) {
            this.client = client;
            this.outer = outer;
        }

        void end(boolean reset) {
            ended = true;
            if (connections.remove(this)) {
                cut.incrementAndGet();
            }
            if (reset) {
                try {
                    client.setSoLinger(true, 0);
                } catch (IOException e) {
                    // Closed already.
                }
            }
            closeQuietly(client);
            closeQuietly(outer);
        }

        void close() {
            if (connections.remove(this) && lost && !ended) {
                givenUp.incrementAndGet();
            }
            closeQuietly(client);
            closeQuietly(outer);
        }
    }
}

package io.controllermanager.testing.apiserver.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A handler behind Netty, on the loopback interface only. It speaks HTTP/1.1; with TLS, HTTP/2 too, to clients that choose
 * it. One thread does the reading and writing of all connections.
 */
public final class HttpFrontend implements AutoCloseable {

    private final URI url;
    private final Handler handler;
    private final ExecutorService executor;
    private final EventLoopGroup io;

    private final Channel listener;

    private HttpFrontend(URI url, Handler handler, ExecutorService executor, EventLoopGroup io, Channel listener) {
        this.url = url;
        this.handler = handler;
        this.executor = executor;
        this.io = io;
        this.listener = listener;
    }

    /**
     * Starts to listen and answer.
     *
     * @param port 0 for any that is free
     * @param certificate null to do without TLS
     * @param clock by which answers tell how old things are
     */
    public static HttpFrontend start(
            int port, @Nullable ServingCertificate certificate, InstantSource clock, Handler handler) {
        ServerSocketChannel listener = listen(port);
        InetAddress address = listener.socket().getInetAddress();
        int taken = listener.socket().getLocalPort();
        String threads = "api-server-" + taken + "-";
        // A thread for each request, since a watch keeps its own for as long as it lasts.
        ExecutorService executor = Executors.newCachedThreadPool(daemons(threads));
        @SuppressWarnings("deprecation") // Its successor is not in Netty 4.1, which an application may bring.
        EventLoopGroup io = new NioEventLoopGroup(1, daemons(threads + "io-"));
        Channel accepting = new ServerBootstrap()
                .group(io)
                .channelFactory(() -> new NioServerSocketChannel(listener))
                .childOption(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(false))
                .childHandler(new Connections(
                        certificate == null ? null : certificate.context(),
                        () -> new Requests(clock, handler, executor)))
                .register()
                .syncUninterruptibly()
                .channel();
        URI url = URI.create((certificate == null ? "http" : "https") + "://" + address.getHostAddress() + ":" + taken);
        return new HttpFrontend(url, handler, executor, io, accepting);
    }

    private static ServerSocketChannel listen(int port) {
        try {
            return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 512);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port, e);
        }
    }

    private static ThreadFactory daemons(String name) {
        AtomicLong count = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, name + count.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    public URI url() {
        return url;
    }

    /** What answers. */
    public Handler handler() {
        return handler;
    }

    /** Cuts all connections and ends all threads. */
    @Override
    public void close() {
        // First, or else a client that is cut off is let in again, and what serves it keeps the port.
        listener.close().awaitUninterruptibly();
        executor.shutdownNow();
        io.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}

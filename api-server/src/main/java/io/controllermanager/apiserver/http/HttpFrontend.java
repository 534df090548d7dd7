package io.controllermanager.apiserver.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A handler behind Netty, on the loopback interface only. It speaks HTTP/1.1; with TLS, HTTP/2 too, to clients that choose
 * it. One thread does the reading and writing of all connections.
 */
public final class HttpFrontend implements AutoCloseable {

    private final URI url;
    private final ExecutorService executor;
    private final EventLoopGroup io;
    private final Channel listener;
    private final ChannelGroup open;

    /**
     * Starts to listen and answer.
     *
     * @param port 0 for any that is free
     * @param certificate null to do without TLS
     * @param clock by which answers tell how old things are
     */
    // The successor of NioEventLoopGroup is not in Netty 4.1, which an application may bring.
    @SuppressWarnings("deprecation")
    public HttpFrontend(int port, @Nullable ServingCertificate certificate, InstantSource clock, Handler handler) {
        ServerSocketChannel socket = listen(port);
        InetAddress address = socket.socket().getInetAddress();
        int taken = socket.socket().getLocalPort();
        String threads = "api-server-" + taken;
        url = URI.create((certificate == null ? "http" : "https") + "://" + address.getHostAddress() + ":" + taken);
        // A thread for each request, since a watch keeps its own for as long as it lasts.
        executor = Executors.newCachedThreadPool(new DefaultThreadFactory(threads, true));
        io = new NioEventLoopGroup(1, new DefaultThreadFactory(threads + "-io", true));
        open = new DefaultChannelGroup(io.next());
        listener = new ServerBootstrap()
                .group(io)
                .channelFactory(() -> new NioServerSocketChannel(socket))
                .childOption(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(false))
                // A client may say that it sends no more and wait for the answer; TLS tells of it by itself.
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, certificate == null)
                .childHandler(new Connections(
                        open,
                        certificate == null ? null : certificate.context(),
                        () -> new Requests(clock, handler, executor)))
                .register()
                .syncUninterruptibly()
                .channel();
    }

    /** Loads the classes of the transport, which takes a tenth of a second in a fresh JVM. */
    public static void load() {
        Handler nobody = request -> {
            throw StatusException.methodNotAllowed();
        };
        new HttpFrontend(0, null, InstantSource.system(), nobody).close();
        new HttpServerCodec();
    }

    private static ServerSocketChannel listen(int port) {
        try {
            return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 512);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port, e);
        }
    }

    public URI url() {
        return url;
    }

    /** Cuts all connections and ends all threads. */
    @Override
    public void close() {
        // First, or else a client that is cut off is let in again, and what serves it keeps the port.
        listener.close().awaitUninterruptibly();
        // The loop of Netty 4.2 leaves connections open if it is told to end while it runs tasks.
        open.stream()
                .map(connection -> connection.pipeline().firstContext())
                .filter(Objects::nonNull)
                .forEach(Connections::cut);
        executor.shutdownNow();
        io.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}

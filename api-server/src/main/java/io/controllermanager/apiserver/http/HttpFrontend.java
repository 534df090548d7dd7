package io.controllermanager.apiserver.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A handler behind Netty, on the loopback interface only. It speaks HTTP/1.1; with TLS, HTTP/2 too, to clients that choose
 * it. One thread does the reading and writing of all connections.
 */
public final class HttpFrontend implements AutoCloseable {

    /** Of a request's head: as much as Go's server takes. */
    private static final int LARGEST_HEAD = 1 << 20;

    /** What is larger by far than a request may be is refused by Netty itself, and ends its connection. */
    private static final int LARGEST_BODY = 1 << 26;

    private final URI url;
    private final @Nullable SslContext tls;
    /** Makes what answers the requests of one connection, or of one stream of HTTP/2. */
    private final Supplier<ChannelHandler> requests;

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
        requests = () -> new Requests(clock, handler, executor);
        tls = certificate == null ? null : certificate.context();
        io = new NioEventLoopGroup(1, new DefaultThreadFactory(threads + "-io", true));
        open = new DefaultChannelGroup(io.next());
        listener = new ServerBootstrap()
                .group(io)
                .channelFactory(() -> new NioServerSocketChannel(socket))
                .childOption(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(false))
                // A client may say that it sends no more and wait for the answer; TLS tells of it by itself.
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, certificate == null)
                .childHandler(initialized(this::begin))
                .register()
                .syncUninterruptibly()
                .channel();
    }

    /** Loads the classes of the transport, which takes a tenth of a second in a fresh JVM. */
    public static void load() {
        new HttpFrontend(0, null, InstantSource.system(), request -> Response.text(200, "")).close();
        new HttpServerCodec();
    }

    private static ServerSocketChannel listen(int port) {
        try {
            return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 512);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port, e);
        }
    }

    private static ChannelInitializer<Channel> initialized(Consumer<ChannelPipeline> begin) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                begin.accept(channel.pipeline());
            }
        };
    }

    private void begin(ChannelPipeline connection) {
        open.add(connection.channel());
        if (tls == null) {
            speakHttp1(connection);
        } else {
            connection.addLast(tls.newHandler(connection.channel().alloc()), new Negotiation());
        }
    }

    private void speakHttp1(ChannelPipeline pipeline) {
        pipeline.addLast(
                new HttpServerCodec(LARGEST_HEAD, LARGEST_HEAD, 1 << 16),
                new HttpServerKeepAliveHandler(),
                new HttpObjectAggregator(LARGEST_BODY),
                requests.get());
    }

    private void speakHttp2(ChannelPipeline connection) {
        connection.addLast(
                Http2FrameCodecBuilder.forServer()
                        // As many streams at a time as from kube-apiserver (apiserver, server/secure_serving.go).
                        .initialSettings(Http2Settings.defaultSettings()
                                .maxConcurrentStreams(100)
                                .maxHeaderListSize(LARGEST_HEAD))
                        // A client that gives up many watches attacks nobody.
                        .decoderEnforceMaxRstFramesPerWindow(0, 0)
                        .gracefulShutdownTimeoutMillis(0)
                        .build(),
                new Http2MultiplexHandler(initialized(pipeline -> pipeline.addLast(
                        new Http2StreamFrameToHttpObjectCodec(true),
                        new HttpObjectAggregator(LARGEST_BODY),
                        requests.get()))),
                requests.get());
    }

    /** Ends a connection, or a stream of HTTP/2, where it stands. */
    @SuppressWarnings("FutureReturnValueIgnored") // There is nothing to do when it has ended.
    static void cut(ChannelOutboundInvoker connection) {
        connection.close();
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
                .forEach(HttpFrontend::cut);
        executor.shutdownNow();
        io.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** By TLS' extension ALPN. */
    private final class Negotiation extends ApplicationProtocolNegotiationHandler {

        Negotiation() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext context, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                speakHttp2(context.pipeline());
            } else {
                speakHttp1(context.pipeline());
            }
        }

        /** Netty itself would warn of it in the application's log. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            cut(context);
        }
    }
}
